import { z } from 'zod'
import { DEFAULT_FEEDBACK } from '../model/defaults.ts'
import { LIMITS } from '../model/limits.ts'
import { nameSchema, threshold } from './parts.ts'

const d = DEFAULT_FEEDBACK
const encoder = new TextEncoder()

/** A topic, a queue: as the broker names it, 1 to 249 bytes, no control characters. */
export const topicSchema = z.string().refine(
  (text) =>
    text.length > 0 &&
    text.isWellFormed() &&
    encoder.encode(text).length <= LIMITS.topicBytes &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    !/[\u0000-\u001f\u007f]/.test(text),
  { error: `A topic is 1 to ${LIMITS.topicBytes} bytes long and has no control characters.` },
)

const seconds = z
  .number()
  .min(1)
  .max(LIMITS.maxMs / 1_000)
const part = z.number().gt(0)

/** The rule of one topic, as authored. */
export const feedbackSchema = z.strictObject({
  resource: nameSchema,
  lagSeconds: threshold.default(d.lagSeconds),
  stepSeconds: seconds.default(d.stepSeconds),
  cut: part.lt(1).default(d.cut),
  rise: part.max(1).default(d.rise),
  least: part.max(1).default(d.least),
  recoverSeconds: seconds.default(d.recoverSeconds),
})
