import type { Problem } from '@weir/policy/model'
import type { z } from 'zod'
import { WIRE } from '../model/bounds.ts'
import type { AgentMessage, ControlMessage } from '../model/messages.ts'
import { agentMessageSchema, controlMessageSchema } from './messages.ts'

export type Decoded<T> =
  | { readonly ok: true; readonly message: T }
  | { readonly ok: false; readonly code: 'too-big' | 'not-json' | 'invalid'; readonly problems: readonly Problem[] }

const decode = <T>(schema: z.ZodType<T>, text: string, maxBytes: number): Decoded<T> => {
  const fail = (code: 'too-big' | 'not-json' | 'invalid', problems: Problem[]): Decoded<T> => ({
    ok: false,
    code,
    problems,
  })
  if (Buffer.byteLength(text) > maxBytes)
    return fail('too-big', [{ path: '', message: `The message is longer than ${maxBytes} bytes.` }])
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fail('not-json', [{ path: '', message: 'The message is not JSON.' }])
  }
  const result = schema.safeParse(value)
  if (result.success) return { ok: true, message: result.data }
  return fail(
    'invalid',
    result.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
  )
}

/** Reads one frame of an agent; never throws. */
export const decodeAgentMessage = (text: string): Decoded<AgentMessage> =>
  decode(agentMessageSchema, text, WIRE.maxAgentMessageBytes)

/** Reads one frame of a control plane; never throws. */
export const decodeControlMessage = (text: string): Decoded<ControlMessage> =>
  decode(controlMessageSchema, text, WIRE.maxControlMessageBytes)

/** Writes one frame. */
export const encode = (message: AgentMessage | ControlMessage): string => JSON.stringify(message)
