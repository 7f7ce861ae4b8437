import type { GatePolicy, Mode } from '@weir/policy/model'
import type { RefusalTable } from './refusals.ts'

/** What a gate obeys at present: one revision's words, and what follows from them. Made anew for every revision. */
export class Rules {
  readonly policy: GatePolicy
  readonly revision: number
  readonly mode: Mode
  readonly enforced: boolean
  readonly refusals: RefusalTable

  constructor(policy: GatePolicy, revision: number, mode: Mode, refusals: RefusalTable) {
    this.policy = policy
    this.revision = revision
    this.mode = mode
    this.enforced = mode === 'enforce'
    this.refusals = refusals
  }
}
