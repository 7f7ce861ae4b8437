import type { Criticality, RefusalSignal } from '@weir/policy/model'

/** Gates of the control plane itself, and what each is in front of. */
export const OWN_GATES = {
  ingest: 'Figures and spans of agents and Collectors',
  queries: 'What dashboards and programs ask',
  changes: 'Writes of operators and programs, sign-in: counted, never refused',
  push: 'Agents that fetch their policy where no socket passes',
} as const
export type OwnGate = keyof typeof OWN_GATES

export interface OwnWork {
  /** Whose share it takes. */
  readonly tenant?: string
  readonly criticality?: Criticality
  readonly route?: string
  /** Aborted when the sender leaves. */
  readonly signal?: AbortSignal
}

/** How admitted work ended: `failed` is our fault, `gone` its sender left. */
export type OwnEnd = 'done' | 'failed' | 'gone'

export type Admission =
  | { readonly admitted: true; end(how: OwnEnd): void }
  | {
      readonly admitted: false
      /** Of an HTTP answer. */
      readonly status: 429 | 503
      readonly title: string
      readonly signal: RefusalSignal
      readonly retryAfterMs: number
    }

/** The control plane obeys its own contract: everything that comes in passes one of its gates. */
export abstract class OwnGates {
  /** Never rejects. */
  abstract enter(gate: OwnGate, work: OwnWork): Promise<Admission>
}
