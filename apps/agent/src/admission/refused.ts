import { GATE_REASONS } from '@weir/wire/model'
import type { Refusal } from './work.ts'

/** How `run` says that its work was refused: an error without a stack, because a refusal must be cheaper than the work. */
export class RefusedError extends Error {
  readonly code = 'WEIR_REFUSED'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    const traced = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(`Gate ${refusal.gate}: ${titleOf(refusal)}`)
    Error.stackTraceLimit = traced
    this.name = 'RefusedError'
    this.refusal = refusal
  }
}

const titleOf = ({ reason }: Refusal): string =>
  reason === 'cancelled' ? 'Its caller had left' : GATE_REASONS[reason].title
