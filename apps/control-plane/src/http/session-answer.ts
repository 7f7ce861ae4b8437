import type { FastifyReply } from 'fastify'
import type { SessionAnswer } from '../features/access/sessions.ts'
import { ProblemError } from './problem.ts'

/** Sets the cookies of a step of signing in or out; a refusal becomes a problem that says when to come back. */
export const answerSession = (reply: FastifyReply, { result, cookies, retryAfterSeconds }: SessionAnswer): void => {
  void reply.header('cache-control', 'no-store')
  for (const cookie of cookies) void reply.header('set-cookie', cookie)
  if (!result.ok)
    throw new ProblemError(
      result.refusal,
      retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    )
}
