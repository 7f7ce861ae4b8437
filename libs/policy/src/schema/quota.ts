import { z } from 'zod'
import { LIMITS } from '../model/limits.ts'

/** A tenant's fleet-wide quota of one resource. */
export const quotaSchema = z
  .strictObject({
    rate: z.number().min(0).max(LIMITS.rate).nullable().default(null),
    burst: z.number().min(0).max(LIMITS.rate).nullable().default(null),
    concurrency: z.int().min(0).max(LIMITS.slots).nullable().default(null),
    weight: z.number().gt(0).max(1_000).default(1),
  })
  .superRefine((value, context) => {
    if (value.burst !== null && value.rate === null)
      context.addIssue({
        code: 'custom',
        path: ['burst'],
        message: 'A burst needs a rate: without a rate nothing is counted.',
      })
  })

const encoder = new TextEncoder()

/** A tenant's id: 1 to 128 bytes of UTF-8 in normal form C, no control characters. */
export const tenantSchema = z
  .string()
  .transform((text) => text.normalize('NFC'))
  .refine((text) => text.length > 0 && encoder.encode(text).length <= LIMITS.tenantBytes, {
    error: 'A tenant id is 1 to 128 bytes long.',
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), { error: 'A tenant id has no control characters.' })
