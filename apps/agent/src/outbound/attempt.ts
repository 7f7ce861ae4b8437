import { report } from '../core/report.ts'
import { classifyHttp, discardResponse, headOf } from './http.ts'
import type { CallOptions, Parts } from './parts.ts'
import { type AttemptEnd, classifyError, FAILURE, SUCCESS, soundVerdict, type Verdict } from './verdict.ts'

/** An end that another attempt, still in flight, may make good. */
export interface Failed<T> {
  readonly end: AttemptEnd<T>
  readonly verdict: Verdict
}

/** The caller's classification, or the default one; one that throws or answers no verdict is reported, and a value is then a success, an error a failure. */
export const classifyEnd = <T>(end: AttemptEnd<T>, options: CallOptions<T>, parts: Parts): Verdict => {
  try {
    if (options.classify !== undefined) return soundVerdict(options.classify(end))
    if (!end.ok) return classifyError(end.error)
    const head = headOf(end.value)
    return head === null ? SUCCESS : classifyHttp(head, parts.policy.internal)
  } catch (error) {
    report(parts.runtime, error, `classify of ${parts.name}`)
    return end.ok ? SUCCESS : FAILURE
  }
}

/** Lets go of a value that nobody will get. */
export const discardEnd = <T>(end: AttemptEnd<T>, options: CallOptions<T>, parts: Parts): void => {
  if (!end.ok) return
  try {
    if (options.discard !== undefined) options.discard(end.value)
    else discardResponse(end.value)
  } catch (error) {
    report(parts.runtime, error, `discard of ${parts.name}`)
  }
}

/** What goes on after the answer; `null`: nothing. One that throws instead of saying is reported, and nothing is waited for. */
export const tailOf = <T>(value: T, options: CallOptions<T>, parts: Parts): PromiseLike<void> | null => {
  if (options.tail === undefined) return null
  try {
    const tail = options.tail(value) ?? null
    return tail === null ? null : Promise.resolve(tail)
  } catch (error) {
    report(parts.runtime, error, `tail of ${parts.name}`)
    return null
  }
}
