import { SetMetadata } from '@nestjs/common'
import type { z } from 'zod'

export const ANSWERS = 'weir:answers'

export interface AnswerDescription {
  readonly summary: string
  /** `null`: no body. */
  readonly schema: z.ZodType | null
  readonly etag?: boolean
}

/** What a route does and answers, for the OpenAPI document. */
export const Answers = (summary: string, schema: z.ZodType | null, options: { readonly etag?: boolean } = {}) =>
  SetMetadata(ANSWERS, { summary, schema, ...options } satisfies AnswerDescription)
