import { z } from 'zod'
import { LIMITS, NAME } from '../model/limits.ts'

/** A duration in whole or fractional milliseconds, at most one hour. */
export const ms = (least: number) => z.number().min(least).max(LIMITS.maxMs)

/** A number of slots. */
export const slots = z.int().min(1).max(LIMITS.slots)

/** A share, 0..1. */
export const share = z.number().min(0).max(1)

export const nameSchema = z.string().regex(NAME, {
  error:
    'A name has lower-case letters, digits, dots, dashes and underscores, starts and ends with a letter or digit, and is at most 128 characters long.',
})

/** A signal opens at `open` and closes at `close`, `close < open`. */
export const threshold = z
  .strictObject({ open: z.number().min(0), close: z.number().min(0) })
  .superRefine((value, context) => {
    if (value.close >= value.open)
      context.addIssue({
        code: 'custom',
        path: ['close'],
        message: `The closing threshold (${value.close}) must be below the opening one (${value.open}), or the signal would flap.`,
      })
  })
