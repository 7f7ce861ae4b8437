import type { Criticality } from '@weir/policy/model'
import { GATE_REASONS, type SampleOutcome } from '@weir/wire/model'
import type { Sample, SampleEnd, SampleInputs, SampleStart } from '../core/sampling.ts'
import { Deferring } from './deferral.ts'
import { INPUT, INPUTS, type Input } from './inputs.ts'
import type { Judge } from './judge.ts'
import { predictedMs } from './prediction.ts'
import type { Rules } from './rules.ts'
import type { Tenant } from './tenant.ts'
import type { Entry, Permit, Refusal, Work } from './work.ts'

type GateState = Pick<SampleStart, 'name' | 'limit' | 'inFlight' | 'waiting'>

/** What a sample of a gate's work begins with: the gate as it stands before the decision. */
export const gateSample = (
  work: Work,
  criticality: Criticality,
  { policy, revision, mode }: Rules,
  state: GateState,
  adjustedCount: number,
): SampleStart => ({
  kind: 'gate',
  ...state,
  adjustedCount,
  mode,
  criticality,
  tenant: work.tenant || null,
  revision,
  edge: policy.edge,
  traceparent: work.traceparent ?? null,
  route: work.route ?? null,
})

/** What else the judge read, as it stands at the decision. */
export const sampleInputs = (
  judge: Judge,
  tenant: Tenant | null,
  klass: number,
  remainingMs: number,
  cost: number,
  mayWait: boolean,
): SampleInputs => {
  const row = new Float64Array(INPUTS.length).fill(Number.NaN)
  judge.put(row, tenant, klass, remainingMs, cost, mayWait)
  const of = (input: Input): number => row[INPUT[input]] as number
  const waits = mayWait && of('maxWaitMs') > 0 && of('newestFirst') === 0
  return {
    level: of('level'),
    remainingMs,
    predictedMs: waits ? predictedOf(of) : Number.NaN,
    delayMs: of('delayMs'),
    maxWaitMs: mayWait ? of('maxWaitMs') : Number.NaN,
    classUsed: of('used'),
    classReserve: of('reserve'),
    keptIdle: of('keptIdle'),
    tenantHeld: of('held'),
    tenantConcurrency: of('concurrency'),
    tenantTokens: of('tokens'),
    cost,
  }
}

const predictedOf = (of: (input: Input) => number): number =>
  predictedMs(
    of('ahead'),
    of('above'),
    of('drainPerMs'),
    of('initialPerMs'),
    of('completions'),
    of('typicalMs'),
    of('limit'),
  )

/** Follows the decision, and the work, to its end. */
export const sampled = (entry: Entry | Promise<Entry>, sample: Sample): Entry | Promise<Entry> =>
  'then' in entry ? entry.then((late) => decided(late, sample)) : decided(entry, sample)

const decided = (entry: Entry, sample: Sample): Entry => {
  if (entry instanceof Deferring) {
    entry.onEnd = (end) => sample.end('deferred' in end ? { outcome: 'deferred' } : refusedEnd(end))
    return entry
  }
  if (entry.accepted) return new SampledPermit(entry, sample)
  sample.end(refusedEnd(entry))
  return entry
}

const refusedEnd = (refusal: Refusal): SampleEnd => {
  const { reason, signal, retryAfterMs } = refusal
  return { outcome: refusedAs(refusal), reason, signal, retryAfterMs }
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
