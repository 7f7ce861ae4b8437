import { createHash } from 'node:crypto'
import { canonical } from './model/canonical.ts'

/** SHA-256 of the canonical JSON, 64 hex digits: what an agent's receipt and the control plane compare. */
export const policyHash = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex')
