import type { Operator } from '@weir/api'
import { LINK_REFUSALS, linkRefusal, SignInLinkStore } from '../../features/access/sign-in-link.ts'
import { done, type Result, refused } from '../../features/result.ts'
import { operatorOf } from './access-operators.ts'
import { writeAudit } from './audit.ts'
import type { Database } from './database.ts'

export class PrismaSignInLinkStore extends SignInLinkStore {
  readonly #database: Database

  constructor(database: Database) {
    super()
    this.#database = database
  }

  override keep(email: string, hash: string, expiresAt: Date, actor: string): Promise<Result<Operator>> {
    return this.#database.prisma.$transaction(async (transaction) => {
      const user = await transaction.user.findUnique({ where: { email } })
      if (user === null) return refused('not-found', `There is no operator with the address ${email}.`)
      const link = { hash, expiresAt, createdAt: new Date(), usedAt: null }
      const operatorId = user.id
      await transaction.signInLink.upsert({ where: { operatorId }, create: { operatorId, ...link }, update: link })
      await writeAudit(transaction, { actor, action: 'operator.sign-in-link', target: email, detail: { expiresAt } })
      return done(operatorOf(user))
    })
  }

  override use(hash: string, ip: string, now: Date): Promise<Result<string>> {
    return this.#database.prisma.$transaction(async (transaction) => {
      const link = await transaction.signInLink.findUnique({ where: { hash }, include: { operator: true } })
      const why = linkRefusal(link, now)
      if (link === null || why !== null) return { ok: false, refusal: LINK_REFUSALS[why ?? 'unauthenticated'] }
      const { count } = await transaction.signInLink.updateMany({
        where: { hash, usedAt: null },
        data: { usedAt: now },
      })
      if (count === 0) return { ok: false, refusal: LINK_REFUSALS.gone }
      const actor = link.operator.email
      await writeAudit(transaction, { actor, action: 'session.sign-in', target: ip, detail: { by: 'link' } })
      return done(link.operatorId)
    })
  }
}
