import type { MetricsTarget } from '../../config/outcomes-url.ts'
import { WRITE_HEADERS } from './remote-write.ts'

const WRITE_TIMEOUT_MS = 10_000
const READ_TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 67_108_864
/** Of what an engine says about a fault. */
const MAX_WORDS = 300
/** Where Prometheus answers 500 although no repetition would help. */
const NEVER = /too old|out of order|out of bounds|duplicate sample/

/** What callers are told is one sentence; what the engine or the network said is for the log. */
class EngineError extends Error {
  readonly said: string

  constructor(message: string, said: string) {
    super(message)
    this.said = said.slice(0, MAX_WORDS).trim()
  }
}

/** The engine does not answer, or not in time: the same may work later. Told to callers as 503. */
export class EngineAway extends EngineError {
  readonly statusCode = 503

  constructor(said: string) {
    super('The metrics engine that keeps the figures does not answer: try again in a moment.', said)
  }
}

/** The engine will not take or answer that, however often it is asked: a fault of ours, or of its settings. */
export class EngineRefused extends EngineError {
  constructor(said: string) {
    super('The metrics engine that keeps the figures refuses that.', said)
  }
}

export interface Answer {
  readonly metric: Readonly<Record<string, string>>
  /** Seconds, and the value as text. */
  readonly values: readonly (readonly [number, string])[]
}

/** An engine that takes Prometheus's remote-write and answers its HTTP API. */
export class MetricsEngine {
  readonly #target: MetricsTarget

  constructor(target: MetricsTarget) {
    this.#target = target
  }

  /** Resolves when the engine has all of it. Throws `EngineAway` where it may have it or not: to be sent again as it is; `EngineRefused`. */
  async write(body: Uint8Array): Promise<void> {
    const { status, text } = await this.#ask(this.#target.writeUrl, body, WRITE_HEADERS, WRITE_TIMEOUT_MS)
    if (status >= 200 && status < 300) return
    const said = `${status}: ${text}`
    const refused = (status >= 400 && status < 500 && status !== 408 && status !== 429) || NEVER.test(text)
    throw refused ? new EngineRefused(said) : new EngineAway(said)
  }

  /** At every `stepS` from `startMs` to `endMs`, both included. */
  range(expression: string, startMs: number, endMs: number, stepS: number): Promise<Answer[]> {
    return this.#query('query_range', {
      query: expression,
      start: String(startMs / 1000),
      end: String(endMs / 1000),
      step: String(stepS),
      // VictoriaMetrics moves the ends of a range that it may remember.
      nocache: '1',
    })
  }

  async instant(expression: string, atMs: number): Promise<Answer[]> {
    return this.#query('query', { query: expression, time: String(atMs / 1000) })
  }

  async #query(path: string, parameters: Record<string, string>): Promise<Answer[]> {
    const { status, text } = await this.#ask(
      `${this.#target.readUrl}/api/v1/${path}`,
      new URLSearchParams(parameters).toString(),
      { 'content-type': 'application/x-www-form-urlencoded' },
      READ_TIMEOUT_MS,
    )
    if (status !== 200) {
      const said = `${status}: ${text}`
      throw status >= 500 || status === 429 ? new EngineAway(said) : new EngineRefused(said)
    }
    const result = resultOf(text)
    return result.map(({ metric, values, value }) => ({ metric, values: values ?? (value ? [value] : []) }))
  }

  async #ask(
    url: string,
    body: Uint8Array | string,
    headers: Record<string, string>,
    timeoutMs: number,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { authorization } = this.#target
    try {
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: { ...headers, ...(authorization === null ? {} : { authorization }) },
        body: typeof body === 'string' ? body : Buffer.from(body),
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status: answer.status, text: await bounded(answer) }
    } catch (error) {
      if (error instanceof EngineRefused) throw error
      throw new EngineAway(reasonOf(error))
    }
  }
}

interface Result {
  readonly metric: Record<string, string>
  readonly value?: [number, string]
  readonly values?: [number, string][]
}

const resultOf = (text: string): Result[] => {
  try {
    const { result } = JSON.parse(text).data
    if (Array.isArray(result)) return result
  } catch {}
  throw new EngineRefused(`Not the result of a query: ${text}`)
}

const bounded = async (answer: Response): Promise<string> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body ?? []) {
    size += part.byteLength
    if (size > MAX_ANSWER_BYTES) throw new EngineRefused(`More than ${MAX_ANSWER_BYTES} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : error.message
}
