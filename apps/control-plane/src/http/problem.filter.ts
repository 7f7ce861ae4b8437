import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common'
import type { ProblemCode } from '@weir/api'
import type { FastifyReply } from 'fastify'
import type { Refusal } from '../features/result.ts'
import { ProblemError, problemDocument } from './problem.ts'

/** Every error that leaves REST is a problem document. Unknown errors tell the log everything and the caller nothing. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger = new Logger('http')
  readonly #isAway: (error: unknown) => boolean

  /** `isAway` tells errors of a database that does not answer: they are no faults of the control plane. */
  constructor(isAway: (error: unknown) => boolean) {
    this.#isAway = isAway
  }

  catch(error: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') {
      this.#logger.error(error)
      return
    }
    const reply = host.switchToHttp().getResponse<FastifyReply>()
    if (reply.sent) return
    const refusal = this.#isAway(error) ? AWAY : refusalOf(error)
    if (refusal.code === 'internal') this.#logger.error(error)
    const document = problemDocument(refusal)
    void reply
      .status(document.status)
      .headers({
        ...(refusal.code === 'unavailable' ? { 'retry-after': '1' } : {}),
        ...(error instanceof ProblemError ? error.headers : {}),
        ...(refusal.etag ? { etag: refusal.etag } : {}),
      })
      .type('application/problem+json')
      .send(document)
  }
}

const INTERNAL: Refusal = { code: 'internal', detail: 'The log of the control plane has the cause.' }

const AWAY: Refusal = {
  code: 'unavailable',
  detail: 'The database does not answer. Agents go on with their last policy; try again in a moment.',
}

/** Codes by status, for errors of Nest and of Fastify's own parsers. */
const BY_STATUS = new Map<number, ProblemCode>([
  [400, 'invalid'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [405, 'not-found'],
  [409, 'conflict'],
  [413, 'too-large'],
  [414, 'too-large'],
  [415, 'unsupported-media-type'],
  [429, 'too-many-requests'],
  [431, 'too-large'],
  [503, 'unavailable'],
])

/** Fastify's words for them; Nest passes on nothing else of the error. */
const NOT_JSON = /^Body (is not valid JSON|cannot be empty)/

const refusalOf = (error: unknown): Refusal => {
  if (error instanceof ProblemError) return error.refusal
  if (!(error instanceof Error)) return INTERNAL
  if (NOT_JSON.test(error.message) && statusOf(error) === 400)
    return { code: 'not-json', detail: 'The body is not valid JSON.' }
  const code = BY_STATUS.get(statusOf(error))
  if (code === undefined) return INTERNAL
  return { code, detail: error.message }
}

const statusOf = (error: Error): number => {
  if (error instanceof HttpException) return error.getStatus()
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500
}
