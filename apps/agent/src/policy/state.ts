import { policyHash } from '@weir/policy/hash'
import type { EffectivePolicy, PolicyIdentity, Problem } from '@weir/policy/model'
import { type Receipt, WIRE } from '@weir/wire/model'
import { readEffective, type Unsupported } from './read.ts'
import { NOTHING, type Offer, type Policies, type Settled, type Standing, weigh } from './standing.ts'

const clip = (problems: readonly Problem[]): readonly Problem[] => {
  const listed = problems.length > WIRE.refusedProblems ? problems.slice(0, WIRE.refusedProblems - 1) : problems
  const rest = problems.length - listed.length
  return [
    ...listed.map(({ path, message }) => ({
      path: path.slice(0, WIRE.messageBytes),
      message: message.slice(0, WIRE.messageBytes),
    })),
    ...(rest > 0 ? [{ path: '', message: `And ${rest} more.` }] : []),
  ]
}

/** The policy in force, and the rules by which another takes its place. */
export class PolicyState implements Policies {
  readonly #unsupported: Unsupported
  #standing: Standing = { source: 'built-in', identity: null }
  #effective: EffectivePolicy = NOTHING
  #settled: Settled = { changed: false, status: 'applied', refused: [] }

  constructor(unsupported: Unsupported) {
    this.#unsupported = unsupported
  }

  get effective(): EffectivePolicy {
    return this.#effective
  }

  get standing(): Standing {
    return this.#standing
  }

  /** How the policy in force was taken. */
  get settled(): Settled {
    return this.#settled
  }

  /** Takes the offer as far as it is valid and newer; never throws. */
  offer(offer: Offer): Settled {
    const refuse = (message: string): Settled => ({
      changed: false,
      status: 'refused',
      refused: [{ path: '', message }],
    })
    const { identity, source } = offer
    const verdict = weigh(this.#standing, offer)
    if (verdict === 'lesser') return refuse('A better source is in force.')
    if (verdict === 'older')
      return refuse(
        `Revision ${this.#standing.identity?.revision} of this database is in force; an agent never goes back.`,
      )
    if (identity !== null && offer.proved !== true && policyHash(offer.effective) !== identity.hash)
      return refuse('The hash does not match the content.')
    if (verdict === 'repeat') {
      this.#standing = { source, identity }
      return { ...this.#settled, changed: false }
    }
    const reading = readEffective(offer.effective, this.#effective, this.#unsupported)
    const refused = clip(reading.refused)
    if (!reading.usable) return { changed: false, status: 'refused', refused }
    this.#standing = { source, identity }
    this.#effective = reading.effective
    this.#settled = { changed: true, status: refused.length === 0 ? 'applied' : 'partly', refused }
    return this.#settled
  }
}

/** An agent's word on one revision. */
export const receiptOf = (identity: PolicyIdentity, settled: Settled): Receipt => ({
  type: 'receipt',
  databaseId: identity.databaseId,
  revision: identity.revision,
  hash: identity.hash,
  status: settled.status,
  refused: settled.refused,
})
