import { type Refusal, type Result, refused } from './result.ts'

/**
 * What a writer believes about the present state: one of some tags (If-Match), that there is something (If-Match: *),
 * or nothing (If-None-Match: *).
 */
export type Expected =
  | { readonly kind: 'one-of'; readonly tags: readonly string[] }
  | { readonly kind: 'present' }
  | { readonly kind: 'absent' }

/** Refused with 412 unless the belief holds; `present` is the tag of the present state, `null` where there is none. */
export const checkExpected = (expected: Expected, present: string | null, what: string): Result<null> => {
  const holds =
    expected.kind === 'absent'
      ? present === null
      : present !== null && (expected.kind === 'present' || expected.tags.includes(present))
  if (holds) return { ok: true, value: null }
  const detail =
    expected.kind === 'absent'
      ? `${what} is there already.`
      : present === null
        ? `${what} is not there, or no longer.`
        : `${what} was changed meanwhile. Nothing was changed by this request.`
  const lost = refused('precondition-failed', detail)
  return present === null ? lost : withTag(lost.refusal, present)
}

const withTag = (refusal: Refusal, etag: string): Result<never> => ({ ok: false, refusal: { ...refusal, etag } })
