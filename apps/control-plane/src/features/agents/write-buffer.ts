import type { ReceiptRecord } from './agent-record.ts'
import type { AgentStore, StoredAgent } from './agents-port.ts'
import type { Member } from './roster.ts'

/**
 * Gathers what the store should know: the latest state per agent, every receipt. One write at a time, `rows` at most each.
 * While the store is away the latest states stay (one per agent) and the newest receipts, the oldest are dropped and counted.
 */
export class WriteBuffer {
  private readonly agents = new Map<string, Member>()
  private readonly heardOf = new Map<string, Member>()
  private receipts: ReceiptRecord[] = []
  private writing: Promise<void> | null = null
  private next: Promise<void> | null = null
  receiptsDropped = 0

  constructor(
    private readonly store: Pick<AgentStore, 'write'>,
    private readonly bounds: { readonly writeRows: number; readonly receiptBuffer: number },
    private readonly onError: (error: unknown) => void,
  ) {}

  get pending(): number {
    return Math.max(this.agents.size, this.heardOf.size, this.receipts.length)
  }

  agent(member: Member): void {
    const key = keyOf(member)
    this.agents.set(key, member)
    this.heardOf.delete(key)
  }

  /** Only its presence; nothing where its whole state waits anyway. */
  heard(member: Member): void {
    const key = keyOf(member)
    if (!this.agents.has(key)) this.heardOf.set(key, member)
  }

  receipt(receipt: ReceiptRecord): void {
    this.receipts.push(receipt)
    if (this.receipts.length <= this.bounds.receiptBuffer) return
    this.receipts.shift()
    this.receiptsDropped += 1
  }

  /** Writes all that was pending when it was called; a failure is reported, and its rows are kept for the next time. Those who call before it begins share it. */
  flush(): Promise<void> {
    this.next ??= this.afterPresent()
    return this.next
  }

  private async afterPresent(): Promise<void> {
    await this.writing
    this.next = null
    this.writing = this.drain()
    await this.writing
    this.writing = null
  }

  private async drain(): Promise<void> {
    let rounds = Math.ceil(this.pending / this.bounds.writeRows) + 1
    while (this.pending > 0 && rounds-- > 0) if (!(await this.writeOnce())) return
  }

  private async writeOnce(): Promise<boolean> {
    const agents = takeFrom(this.agents, this.bounds.writeRows)
    const heard = takeFrom(this.heardOf, this.bounds.writeRows)
    const receipts = this.receipts.splice(0, this.bounds.writeRows)
    const sessions = agents.map(({ session }) => session)
    try {
      await this.store.write({
        agents: agents.map(snapshotOf),
        receipts,
        heard: heard.map((member) => ({ ...member.record })),
      })
      for (const [i, member] of agents.entries()) {
        member.stored = sessions[i] ?? null
        if (member.stored !== null) member.elsewhere = false
        member.known = true
      }
      return true
    } catch (error) {
      this.onError(error)
      for (const member of agents) if (!this.agents.has(keyOf(member))) this.agent(member)
      for (const member of heard) this.heard(member)
      this.receipts = [...receipts, ...this.receipts].slice(-this.bounds.receiptBuffer)
      return false
    }
  }
}

const keyOf = ({ record: { environment, service, instance } }: Member): string =>
  JSON.stringify([environment, service, instance])

const takeFrom = (waiting: Map<string, Member>, most: number): Member[] => {
  const taken = [...waiting].slice(0, most)
  for (const [key] of taken) waiting.delete(key)
  return taken.map(([, member]) => member)
}

const snapshotOf = (member: Member): StoredAgent => ({
  record: { ...member.record },
  connected: member.session !== null,
})
