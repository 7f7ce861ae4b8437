import { z } from 'zod'
import { policySchema } from './policy.ts'

/** JSON Schema (2020-12) of a policy document as a person writes it: for editors, and for tools that make policies. */
export const jsonSchema = (): Record<string, unknown> => ({
  ...z.toJSONSchema(policySchema, { io: 'input', target: 'draft-2020-12' }),
  title: 'Weir policy document, schema v1',
})
