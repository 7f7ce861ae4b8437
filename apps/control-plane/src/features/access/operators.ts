import type { CreateOperator, Operator, Page, PageQuery, Role, Setup } from '@weir/api'
import { done, type Result, refused } from '../result.ts'
import { hashSecret } from './secret.ts'

/** An operator to be, with the password already hashed. */
export interface NewOperator {
  readonly name: string
  /** Lower case. */
  readonly email: string
  readonly role: Role
  readonly passwordHash: string
}

export interface OperatorChange {
  readonly name?: string | undefined
  readonly role?: Role | undefined
}

/**
 * Every write is one transaction together with its entry in the audit; `actor` is who did it. Writes that could leave no
 * admin are refused, also when two of them race; a change of role, a new password and a removal end the operator's
 * sessions in the same transaction, and the last two their sign-in link.
 */
export abstract class OperatorStore {
  abstract any(): Promise<boolean>
  abstract page(query: PageQuery): Promise<Result<Page<Operator>>>
  abstract create(operator: NewOperator, actor: string): Promise<Result<Operator>>
  abstract change(id: string, change: OperatorChange, actor: string): Promise<Result<Operator>>
  abstract remove(id: string, actor: string): Promise<Result<null>>
  /** By e-mail address, lower case. */
  abstract resetPassword(email: string, passwordHash: string, actor: string): Promise<Result<Operator>>
  /** Keeps the hash of a set-up token while there is no operator; `false` when there is one. */
  abstract keepSetupToken(hash: string, expiresAt: Date): Promise<boolean>
  /** Whether the token would do now. Cheap, so that a wrong one costs no password hash. */
  abstract checkSetup(tokenHash: string): Promise<Result<null>>
  /** Makes the first operator and uses the token up; of two that race, one is refused. */
  abstract setUp(tokenHash: string, first: NewOperator): Promise<Result<Operator>>
}

/** scrypt; see better-auth. */
export type HashPassword = (password: string) => Promise<string>

export class Operators {
  readonly #store: OperatorStore
  readonly #hash: HashPassword
  #someone = false

  constructor(store: OperatorStore, hash: HashPassword) {
    this.#store = store
    this.#hash = hash
  }

  /** Once there is an operator there always is one (the last admin stays), so `false` is final. */
  async needsSetup(): Promise<boolean> {
    this.#someone ||= await this.#store.any()
    return !this.#someone
  }

  page(query: PageQuery): Promise<Result<Page<Operator>>> {
    return this.#store.page(query)
  }

  async create(operator: CreateOperator, actor: string): Promise<Result<Operator>> {
    return this.#store.create(await this.#hashed(operator, operator.role), actor)
  }

  async change(id: string, change: OperatorChange, actor: string): Promise<Result<Operator>> {
    if (change.name === undefined && change.role === undefined) return refused('invalid', 'Nothing to change.')
    return this.#store.change(id, change, actor)
  }

  remove(id: string, actor: string): Promise<Result<null>> {
    return this.#store.remove(id, actor)
  }

  async resetPassword(email: string, password: string, actor: string): Promise<Result<Operator>> {
    return this.#store.resetPassword(email.toLowerCase(), await this.#hash(password), actor)
  }

  async setUp(setup: Setup): Promise<Result<Operator>> {
    const tokenHash = hashSecret(setup.token)
    const checked = await this.#store.checkSetup(tokenHash)
    if (!checked.ok) return checked
    const made = await this.#store.setUp(tokenHash, await this.#hashed(setup, 'admin'))
    return made.ok ? done(made.value) : made
  }

  async #hashed({ name, email, password }: Omit<Setup, 'token'>, role: Role): Promise<NewOperator> {
    return { name, email: email.toLowerCase(), role, passwordHash: await this.#hash(password) }
  }
}

/** Bound of the table; a team is far below. */
export const MAX_OPERATORS = 1_000

/**
 * Why a change of an operator's role (`becomes`, `null` = removed) must not be: it would leave no admin, and nobody who
 * could make one. `admins` counts today's, the operator included.
 */
export const leavesNoAdmin = (admins: number, was: Role, becomes: Role | null): boolean =>
  was === 'admin' && becomes !== 'admin' && admins <= 1
