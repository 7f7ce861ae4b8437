import { randomUUID } from 'node:crypto'
import type { Operator, Page, PageQuery, Role } from '@weir/api'
import { roleOf } from '../../features/access/identity.ts'
import {
  leavesNoAdmin,
  MAX_OPERATORS,
  type NewOperator,
  type OperatorChange,
  OperatorStore,
} from '../../features/access/operators.ts'
import { SETUP_SENTENCES, setupRefusal } from '../../features/access/setup-link.ts'
import { done, type Result, refused } from '../../features/result.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { writeAudit } from './audit.ts'
import type { Database, Transaction } from './database.ts'

/** Writers stand in line for one lock; a busy machine must not turn the line into errors. */
const PATIENCE = { maxWait: 10_000, timeout: 20_000 }

/** Operators in better-auth's tables: a row of `operator`, and one of `account` with the password's hash. */
export class PrismaOperatorStore extends OperatorStore {
  readonly #database: Database

  constructor(database: Database) {
    super()
    this.#database = database
  }

  override async any(): Promise<boolean> {
    return (await this.#database.prisma.user.findFirst({ select: { id: true } })) !== null
  }

  override async page({ cursor, limit, search }: PageQuery): Promise<Result<Page<Operator>>> {
    const contains = search === undefined ? undefined : { contains: search, mode: 'insensitive' as const }
    const rows = await this.#database.prisma.user.findMany({
      where: {
        ...(cursor === undefined
          ? {}
          : { email: { gt: Buffer.from(cursor, 'base64url').toString().replaceAll('\0', '') } }),
        ...(contains === undefined ? {} : { OR: [{ email: contains }, { name: contains }] }),
      },
      orderBy: { email: 'asc' },
      take: limit + 1,
    })
    const items = rows.slice(0, limit).map(operatorOf)
    const last = items.at(-1)
    const next = rows.length > limit && last !== undefined ? Buffer.from(last.email).toString('base64url') : null
    return done({ items, next })
  }

  override create(operator: NewOperator, actor: string): Promise<Result<Operator>> {
    return this.#write(async (transaction) => {
      if ((await transaction.user.count()) >= MAX_OPERATORS)
        return refused('conflict', `There are ${MAX_OPERATORS} operators already.`)
      if ((await transaction.user.findUnique({ where: { email: operator.email } })) !== null)
        return refused('conflict', `There is an operator with the address ${operator.email} already.`)
      const made = await insert(transaction, operator)
      const { email, role } = operator
      await writeAudit(transaction, { actor, action: 'operator.create', target: email, detail: { role } })
      return done(made)
    })
  }

  override change(id: string, { name, role }: OperatorChange, actor: string): Promise<Result<Operator>> {
    return this.#write(async (transaction) => {
      const found = await this.#found(transaction, id, role)
      if (!found.ok) return found
      const was = found.value
      const changed = await transaction.user.update({
        where: { id },
        data: {
          ...(name === undefined ? {} : { name }),
          ...(role === undefined ? {} : { role }),
          updatedAt: new Date(),
        },
      })
      if (role !== undefined && role !== was.role) await transaction.session.deleteMany({ where: { userId: id } })
      const detail = {
        ...(name === undefined || name === was.name ? {} : { name: { from: was.name, to: name } }),
        ...(role === undefined || role === was.role ? {} : { role: { from: was.role, to: role } }),
      }
      await writeAudit(transaction, { actor, action: 'operator.change', target: was.email, detail })
      return done(operatorOf(changed))
    })
  }

  override remove(id: string, actor: string): Promise<Result<null>> {
    return this.#write(async (transaction) => {
      const found = await this.#found(transaction, id, null)
      if (!found.ok) return found
      await transaction.user.delete({ where: { id } })
      const { email, role } = found.value
      await writeAudit(transaction, { actor, action: 'operator.remove', target: email, detail: { role } })
      return done(null)
    })
  }

  override resetPassword(email: string, passwordHash: string, actor: string): Promise<Result<Operator>> {
    return this.#write(async (transaction) => {
      const user = await transaction.user.findUnique({ where: { email } })
      if (user === null) return refused('not-found', `There is no operator with the address ${email}.`)
      const data = { password: passwordHash, updatedAt: new Date() }
      await transaction.account.updateMany({ where: { userId: user.id, providerId: 'credential' }, data })
      await transaction.session.deleteMany({ where: { userId: user.id } })
      await transaction.signInLink.deleteMany({ where: { operatorId: user.id } })
      await writeAudit(transaction, { actor, action: 'operator.reset', target: email })
      return done(operatorOf(user))
    })
  }

  override keepSetupToken(hash: string, expiresAt: Date): Promise<boolean> {
    return this.#locked(async (transaction) => {
      if ((await transaction.user.count()) > 0) return false
      await transaction.setupToken.deleteMany({ where: { expiresAt: { lte: new Date() } } })
      await transaction.setupToken.create({ data: { hash, expiresAt } })
      return true
    })
  }

  override async checkSetup(tokenHash: string): Promise<Result<null>> {
    return judgeSetup(this.#database.prisma, tokenHash)
  }

  override setUp(tokenHash: string, first: NewOperator): Promise<Result<Operator>> {
    return this.#write(async (transaction) => {
      const judged = await judgeSetup(transaction, tokenHash)
      if (!judged.ok) return judged
      await transaction.setupToken.update({ where: { hash: tokenHash }, data: { usedAt: new Date() } })
      const made = await insert(transaction, first)
      await writeAudit(transaction, { actor: first.name, action: 'operator.set-up', target: first.email })
      return done(made)
    })
  }

  /** Writes come one after the other: they are few, and every rule about the whole (first, last, most) then just holds. */
  #write<T>(work: (transaction: Transaction) => Promise<Result<T>>): Promise<Result<T>> {
    return this.#locked(work)
  }

  #locked<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#database.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT id FROM installation WHERE id = 1 FOR UPDATE`
      return work(transaction)
    }, PATIENCE)
  }

  async #found(transaction: Transaction, id: string, becomes: Role | null | undefined): Promise<Result<Operator>> {
    const user = await transaction.user.findUnique({ where: { id } })
    if (user === null) return refused('not-found', 'There is no such operator.')
    const admins = await transaction.user.count({ where: { role: 'admin' } })
    if (becomes !== undefined && leavesNoAdmin(admins, roleOf(user.role), becomes))
      return refused('conflict', 'This is the last admin: make another one first.')
    return done(operatorOf(user))
  }
}

const judgeSetup = async (client: Transaction, tokenHash: string): Promise<Result<null>> => {
  const [operators, token] = [
    await client.user.count(),
    await client.setupToken.findUnique({ where: { hash: tokenHash } }),
  ]
  const why = setupRefusal({ operators, token }, new Date())
  if (why === null) return done(null)
  return refused(why === 'unknown' ? 'forbidden' : 'gone', SETUP_SENTENCES[why])
}

const insert = async (transaction: Transaction, { passwordHash, ...operator }: NewOperator): Promise<Operator> => {
  const id = randomUUID()
  const account = { id: randomUUID(), accountId: id, providerId: 'credential', password: passwordHash }
  return operatorOf(
    await transaction.user.create({ data: { id, ...operator, emailVerified: true, accounts: { create: account } } }),
  )
}

export const operatorOf = ({ id, name, email, role, createdAt }: Prisma.UserModel): Operator => ({
  id,
  name,
  email,
  role: roleOf(role),
  createdAt: createdAt.toISOString(),
})
