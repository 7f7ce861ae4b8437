import { Injectable } from '@nestjs/common'
import type { BusTopic, BusTopics } from '../../features/bus.ts'
import { type OutboxMessage, OutboxStore } from '../../features/outbox/outbox.ts'
import { Database, type Transaction } from './database.ts'

/** Writes a message inside the transaction of what it tells. */
export const outbox = async <T extends BusTopic>(tx: Transaction, topic: T, payload: BusTopics[T]): Promise<void> => {
  await tx.outbox.create({ data: { topic, payload: { ...payload } } })
}

@Injectable()
export class PrismaOutbox extends OutboxStore {
  constructor(private readonly database: Database) {
    super()
  }

  override async unsent(limit: number): Promise<readonly OutboxMessage[]> {
    const rows = await this.database.prisma.outbox.findMany({
      where: { sentAt: null },
      orderBy: { id: 'asc' },
      take: limit,
    })
    return rows.map((row) => ({
      id: row.id,
      topic: row.topic as BusTopic,
      payload: row.payload as unknown as BusTopics[BusTopic],
    }))
  }

  override async markSent(ids: readonly bigint[]): Promise<void> {
    await this.database.prisma.outbox.updateMany({ where: { id: { in: [...ids] } }, data: { sentAt: new Date() } })
  }

  override async dropSentBefore(time: Date): Promise<void> {
    await this.database.prisma.outbox.deleteMany({ where: { sentAt: { lt: time } } })
  }
}
