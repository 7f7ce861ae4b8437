import type { Criticality, Mode, RefusalSignal } from '@weir/policy/model'
import type { SampleOutcome } from '@weir/wire/model'

/** What is known of one piece of work when it arrives, with the figures that decide about it. */
export interface SampleStart {
  readonly kind: 'gate' | 'dependency'
  readonly name: string
  /** How many decisions of this gate or dependency it stands for, itself included. */
  readonly adjustedCount: number
  readonly mode: Mode
  readonly criticality: Criticality | null
  readonly tenant: string | null
  /** `null` = the built-in policy. */
  readonly revision: number | null
  readonly limit: number
  readonly inFlight: number
  /** In the queue; `null` where there is none. */
  readonly waiting: number | null
  /** Whether the gate is where work enters the fleet. */
  readonly edge: boolean
  /** W3C trace context of what asked for it, where nothing nearer is known. */
  readonly traceparent: string | null
  readonly route: string | null
}

/** What else decided about work at a gate. NaN: it was not asked. Times in milliseconds. */
export interface SampleInputs {
  readonly level: number
  readonly remainingMs: number
  readonly predictedMs: number
  readonly delayMs: number
  readonly maxWaitMs: number
  readonly classUsed: number
  readonly classReserve: number
  readonly keptIdle: number
  readonly tenantHeld: number
  readonly tenantConcurrency: number
  readonly tenantTokens: number
  readonly cost: number
}

export interface SampleEnd {
  readonly outcome: SampleOutcome
  readonly reason?: string
  readonly signal?: RefusalSignal
  readonly retryAfterMs?: number
  /** Sent, of a call. */
  readonly attempts?: number
}

/** A sampled piece of work that is not over. No method throws. */
export interface Sample {
  /** W3C trace context of its own span: what it asks for elsewhere is a child of it. */
  readonly traceparent: string
  /** It was decided about, by these figures beside those that it began with. */
  decided(inputs: SampleInputs): void
  /** It was given its slot: the time since its arrival is its wait. */
  started(): void
  /** The first end is told; later ones are ignored. */
  end(end: SampleEnd): void
}

/** Chooses which work of one gate or dependency is told as a span. No method throws. */
export interface Sampler {
  /** Asked once for each decision, and most often a counter decrement: 0 = not sampled, else how many decisions this one stands for. */
  next(): number
  /** Asked once for each refusal that was not sampled as work, and most often a counter decrement: whether its reasons are told. */
  refusal(): boolean
  begin(start: SampleStart): Sample
}

const UNSEEN: Sample = { traceparent: '', decided: () => undefined, started: () => undefined, end: () => undefined }

/** Where nobody wants spans. */
export const NO_SAMPLES: Sampler = { next: () => 0, refusal: () => false, begin: () => UNSEEN }
