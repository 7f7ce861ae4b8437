import { Logger } from '@nestjs/common'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MemoryBus } from '../../adapters/memory/memory-bus.ts'
import { type OutboxMessage, OutboxStore } from './outbox.ts'
import { OutboxRelay } from './outbox-relay.ts'

class MemoryOutbox extends OutboxStore {
  messages: OutboxMessage[] = []
  failMarks = 0

  add(revision: number): void {
    const id = BigInt(revision)
    this.messages.push({ id, topic: 'revision', payload: { serviceId: 'orders', revision } })
  }

  override async deliver(limit: number, send: (message: OutboxMessage) => void): Promise<number> {
    const batch = this.messages.slice(0, limit)
    batch.forEach(send)
    if (this.failMarks-- > 0) throw new Error('away')
    this.messages = this.messages.slice(batch.length)
    return batch.length
  }

  override async dropSentBefore(): Promise<void> {}
}

let store: MemoryOutbox
let relay: OutboxRelay
let heard: number[]

Logger.overrideLogger(false)

beforeEach(() => {
  vi.useFakeTimers()
  store = new MemoryOutbox()
  const bus = new MemoryBus()
  heard = []
  bus.subscribe('revision', ({ revision }) => heard.push(revision))
  relay = new OutboxRelay(store, bus)
  relay.onApplicationBootstrap()
})
afterEach(async () => {
  await relay.onModuleDestroy()
  vi.useRealTimers()
})

test('messages are sent in order, once, more than a batch of them', async () => {
  for (let n = 1; n <= 250; n++) store.add(n)
  await relay.send()
  expect(heard).toEqual(Array.from({ length: 250 }, (_, n) => n + 1))
  await relay.send()
  expect(heard).toHaveLength(250)
})

test('what a crash left behind is sent by the poll', async () => {
  store.add(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(heard).toEqual([1])
})

test('a message whose sending could not be noted is sent again, not lost', async () => {
  store.add(1)
  store.failMarks = 1
  await relay.send()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(heard).toEqual([1, 1])
  expect(store.messages).toEqual([])
})
