import { report } from '../core/report.ts'
import { classifyHttp, discardResponse, headOf } from './http.ts'
import type { Attempt, CallOptions, Parts } from './parts.ts'
import { type AttemptEnd, classifyError, FAILURE, SUCCESS, soundVerdict, type Verdict } from './verdict.ts'

/** What an attempt asks its call for. */
export interface AttemptSource {
  readonly signal: AbortSignal
  readonly remainingMs: number
  headers(attempt: number): Readonly<Record<string, string>>
}

/** One attempt's view of its call: its number is its own, the rest is worked out when read. */
export class AttemptView implements Attempt {
  readonly attempt: number
  readonly #source: AttemptSource

  constructor(source: AttemptSource, attempt: number) {
    this.attempt = attempt
    this.#source = source
  }

  get signal(): AbortSignal {
    return this.#source.signal
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#source.headers(this.attempt)
  }

  get remainingMs(): number {
    return this.#source.remainingMs
  }
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
