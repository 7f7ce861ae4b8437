import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import type { Expected } from '../features/expected.ts'
import { ProblemError } from './problem.ts'

/** Tags in one header: nobody needs more. */
const MOST_TAGS = 16
const TAG = /^(W\/)?"[\x21\x23-\x7e]{0,128}"$/

/**
 * What the writer believes, from If-Match or `If-None-Match: *`. 428 without either. Weak tags never match a write
 * (RFC 9110, section 13.1.1).
 */
export const readExpected = (ifMatch: string | undefined, ifNoneMatch: string | undefined): Expected => {
  if (ifNoneMatch?.trim() === '*') return { kind: 'absent' }
  if (ifMatch === undefined)
    throw new ProblemError({
      code: 'precondition-required',
      detail: 'Send the ETag of what you saw in If-Match, or If-None-Match: * to create.',
    })
  if (ifMatch.trim() === '*') return { kind: 'present' }
  const tags = ifMatch.split(',', MOST_TAGS).map((tag) => tag.trim())
  if (!tags.every((tag) => TAG.test(tag)))
    throw new ProblemError({ code: 'invalid', detail: 'If-Match is not a list of quoted entity tags.' })
  return { kind: 'one-of', tags: tags.filter((tag) => !tag.startsWith('W/')) }
}

export const WANTS_PRECONDITION = 'weir:precondition'

const fromRequest = createParamDecorator((_: unknown, context: ExecutionContext): Expected => {
  const { headers } = context.switchToHttp().getRequest<FastifyRequest>()
  return readExpected(headers['if-match'], headers['if-none-match'])
})

/** The precondition of a write; the route is described as needing it. */
export const Precondition = (): ParameterDecorator => (target, key, index) => {
  if (key !== undefined) Reflect.defineMetadata(WANTS_PRECONDITION, true, target.constructor, key)
  fromRequest()(target, key, index)
}
