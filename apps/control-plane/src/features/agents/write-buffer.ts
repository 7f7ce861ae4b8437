import type { ReceiptRecord } from './agent-record.ts'
import type { AgentStore, StoredAgent } from './agents-port.ts'
import type { Member } from './roster.ts'

/**
 * Gathers what the store should know: the latest state per agent, every receipt. One write at a time, `rows` at most each.
 * While the store is away the latest states stay (one per agent) and the newest receipts, the oldest are dropped and counted.
 */
export class WriteBuffer {
  private readonly agents = new Map<string, Member>()
  private receipts: ReceiptRecord[] = []
  private writing: Promise<void> | null = null
  receiptsDropped = 0

  constructor(
    private readonly store: Pick<AgentStore, 'write'>,
    private readonly bounds: { readonly writeRows: number; readonly receiptBuffer: number },
    private readonly onError: (error: unknown) => void,
  ) {}

  get pending(): number {
    return this.agents.size + this.receipts.length
  }

  agent(member: Member): void {
    const { environment, service, instance } = member.record
    this.agents.set(JSON.stringify([environment, service, instance]), member)
  }

  receipt(receipt: ReceiptRecord): void {
    this.receipts.push(receipt)
    if (this.receipts.length <= this.bounds.receiptBuffer) return
    this.receipts.shift()
    this.receiptsDropped += 1
  }

  /** Writes all that was pending when it was called; a failure is reported, and its rows are kept for the next time. */
  async flush(): Promise<void> {
    while (this.writing !== null) await this.writing
    this.writing = this.drain()
    await this.writing
    this.writing = null
  }

  private async drain(): Promise<void> {
    let rounds = Math.ceil(this.pending / this.bounds.writeRows) + 1
    while (this.pending > 0 && rounds-- > 0) if (!(await this.writeOnce())) return
  }

  private async writeOnce(): Promise<boolean> {
    const agents = [...this.agents].slice(0, this.bounds.writeRows)
    const receipts = this.receipts.splice(0, this.bounds.writeRows)
    for (const [key] of agents) this.agents.delete(key)
    try {
      await this.store.write(
        agents.map(([, member]) => snapshotOf(member)),
        receipts,
      )
      return true
    } catch (error) {
      this.onError(error)
      for (const [key, member] of agents) if (!this.agents.has(key)) this.agents.set(key, member)
      this.receipts = [...receipts, ...this.receipts].slice(-this.bounds.receiptBuffer)
      return false
    }
  }
}

const snapshotOf = (member: Member): StoredAgent => ({
  record: { ...member.record },
  connected: member.session !== null,
})
