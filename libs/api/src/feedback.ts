import { z } from 'zod'

/**
 * GET …/services/:service/feedback: what the rules of the policy in force do now, one for each topic.
 * whole: nothing is cut; cutting, returning: the share has just moved; holding: it waits where it is; unknown: no consumer says how far it is behind.
 */
export const feedbackRowSchema = z.object({
  topic: z.string(),
  /** Whose quotas it moves. */
  resource: z.string(),
  phase: z.enum(['whole', 'cutting', 'holding', 'returning', 'unknown']),
  /** Share of the quotas that is in force, 0..1. */
  scale: z.number(),
  lagSeconds: z.number().nullable(),
  /** Gates and processes that report on the topic. */
  consumers: z.int(),
  openSeconds: z.number(),
  closeSeconds: z.number(),
  least: z.number(),
  /** Whether the resource has a quota that a smaller share makes smaller. */
  binds: z.boolean(),
})
export type FeedbackRow = z.infer<typeof feedbackRowSchema>
export const feedbackSchema = z.object({ items: z.array(feedbackRowSchema) })
export type Feedback = z.infer<typeof feedbackSchema>
