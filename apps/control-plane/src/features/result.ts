import type { ProblemCode } from '@weir/api'
import type { Problem } from '@weir/policy/model'

/** Why a request was not done. Nothing was changed. `code` decides the status. */
export interface Refusal {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors?: readonly Problem[]
  /** Tag of the present state, where a write lost a race. */
  readonly etag?: string
}

/** A refusal is a value; only the transport turns it into a status. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal }

export const done = <T>(value: T): Result<T> => ({ ok: true, value })

export const refused = (
  code: ProblemCode,
  detail: string,
  errors?: readonly Problem[],
): { readonly ok: false; readonly refusal: Refusal } => ({
  ok: false,
  refusal: errors === undefined ? { code, detail } : { code, detail, errors },
})
