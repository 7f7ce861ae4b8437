/** What really stands behind the gate: a long-tailed time of `medianMs`, `sigma` its spread; `connections` of them at a time, where given. */
export interface RealService {
  readonly medianMs: number
  readonly sigma: number
  readonly connections?: number
}

/** The server's first word. */
export interface Told {
  readonly url: string
}

/** The answer to one request. */
export interface Answered {
  accepted: boolean
  /** How long the work itself took, milliseconds. */
  ranMs: number
}
