export { type Decoded, decodeAgentMessage, decodeControlMessage, encode } from './codec.ts'
export { agentMessageSchema, controlMessageSchema } from './messages.ts'
