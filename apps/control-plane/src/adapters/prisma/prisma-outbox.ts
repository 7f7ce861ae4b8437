import { Injectable } from '@nestjs/common'
import type { BusTopic, BusTopics } from '../../features/bus.ts'
import { type OutboxMessage, OutboxStore } from '../../features/outbox/outbox.ts'
import { Database, type Transaction } from './database.ts'

/** Writes a message inside the transaction of what it tells. */
export const outbox = async <T extends BusTopic>(tx: Transaction, topic: T, payload: BusTopics[T]): Promise<void> => {
  await tx.outbox.create({ data: { topic, payload: { ...payload } } })
}

interface Line {
  readonly id: bigint
  readonly topic: BusTopic
  readonly payload: BusTopics[BusTopic]
}

@Injectable()
export class PrismaOutbox extends OutboxStore {
  constructor(private readonly database: Database) {
    super()
  }

  override deliver(limit: number, send: (message: OutboxMessage) => void): Promise<number> {
    return this.database.prisma.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<Line[]>`
        SELECT id, topic, payload FROM outbox WHERE sent_at IS NULL ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED`
      if (rows.length === 0) return 0
      for (const { id, topic, payload } of rows) send({ id, topic, payload })
      await tx.outbox.updateMany({ where: { id: { in: rows.map(({ id }) => id) } }, data: { sentAt: new Date() } })
      return rows.length
    })
  }

  override async dropSentBefore(time: Date): Promise<void> {
    await this.database.prisma.outbox.deleteMany({ where: { sentAt: { lt: time } } })
  }
}
