import type { Criticality } from '@weir/policy/model'
import { GATE_REASONS, type GateReport, type SampleOutcome } from '@weir/wire/model'
import type { Sample, SampleStart } from '../core/sampling.ts'
import type { GateSettings } from './options.ts'
import type { Entry, Permit, Refusal, Work } from './work.ts'

/** What a sample of a gate's work begins with: the gate as it stands before the decision. */
export const gateSample = (
  work: Work,
  criticality: Criticality,
  { policy, revision }: GateSettings,
  { name, mode, limit, active, zombies, waiting }: GateReport,
  adjustedCount: number,
): SampleStart => ({
  kind: 'gate',
  name,
  adjustedCount,
  mode,
  criticality,
  tenant: work.tenant || null,
  revision,
  limit,
  inFlight: active + zombies,
  waiting,
  edge: policy.edge,
  traceparent: work.traceparent ?? null,
})

/** Follows the decision, and the work, to its end. */
export const sampled = (entry: Entry | Promise<Entry>, sample: Sample): Entry | Promise<Entry> =>
  'then' in entry ? entry.then((late) => decided(late, sample)) : decided(entry, sample)

const decided = (entry: Entry, sample: Sample): Entry => {
  if (entry.accepted) return new SampledPermit(entry, sample)
  const { reason, signal } = entry
  sample.end({ outcome: refusedAs(entry), reason, signal })
  return entry
}

const refusedAs = ({ reason }: Refusal): SampleOutcome => {
  if (reason === 'cancelled') return 'cancelled_waiting'
  return GATE_REASONS[reason].expired ? 'expired' : 'shed'
}

/** A permit whose end is told as a span, with the outcome that the books give it. */
export class SampledPermit implements Permit {
  readonly #permit: Permit
  readonly #sample: Sample

  constructor(permit: Permit, sample: Sample) {
    this.#permit = permit
    this.#sample = sample
    sample.started()
    // Without an ending of the host's: the caller left, or the gate took the slot back.
    permit.signal.addEventListener('abort', () => sample.end({ outcome: permit.live ? 'cancelled' : 'abandoned' }))
  }

  /** The permit that is followed. */
  get inner(): Permit {
    return this.#permit
  }

  get traceparent(): string {
    return this.#sample.traceparent
  }

  get accepted(): true {
    return true
  }

  get live(): boolean {
    return this.#permit.live
  }

  get degraded(): boolean {
    return this.#permit.degraded
  }

  get signal(): AbortSignal {
    return this.#permit.signal
  }

  get remainingMs(): number {
    return this.#permit.remainingMs
  }

  success(): void {
    const outcome = this.#inTime()
    this.#permit.success()
    this.#sample.end({ outcome })
  }

  failure(): void {
    this.#permit.failure()
    this.#sample.end({ outcome: 'failed' })
  }

  dropped(): void {
    this.#permit.dropped()
    this.#sample.end({ outcome: 'failed' })
  }

  ignored(): void {
    const outcome = this.#inTime()
    this.#permit.ignored()
    this.#sample.end({ outcome })
  }

  cancel(): void {
    this.#permit.cancel()
  }

  #inTime(): SampleOutcome {
    return this.#permit.remainingMs > 0 ? 'completed' : 'late'
  }
}
