import { Logger } from '@nestjs/common'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MemoryBus } from '../../adapters/memory/memory-bus.ts'
import { type EffectiveSnapshot, type RevisionChange, RevisionSource } from './effective-policies.ts'
import { RevisionWatch } from './revision-watch.ts'

/** Revisions of services in memory, with a switch for an outage. */
class MemoryRevisions extends RevisionSource {
  readonly services = new Map<string, number>()
  reads = 0
  away = false

  override async revisions(): Promise<RevisionChange[]> {
    if (this.away) throw new Error('away')
    return [...this.services].map(([serviceId, revision]) => ({
      serviceId,
      environment: 'prod',
      service: serviceId,
      revision,
      hash: `hash-${revision}`,
    }))
  }

  override async newest(serviceId: string): Promise<EffectiveSnapshot | null> {
    this.reads++
    if (this.away) throw new Error('away')
    const revision = this.services.get(serviceId)
    return revision === undefined ? null : { databaseId: 'd', revision, hash: `hash-${revision}`, effective: '{}' }
  }
}

let source: MemoryRevisions
let bus: MemoryBus
let watch: RevisionWatch
let heard: string[]

Logger.overrideLogger(false)

beforeEach(async () => {
  vi.useFakeTimers()
  source = new MemoryRevisions()
  bus = new MemoryBus()
  watch = new RevisionWatch(source, bus)
  heard = []
  watch.onChange(({ serviceId, revision }) => heard.push(`${serviceId}@${revision}`))
  await watch.onApplicationBootstrap()
})
afterEach(async () => {
  await watch.onModuleDestroy()
  vi.useRealTimers()
})

test('a hint is heard at once', async () => {
  source.services.set('orders', 1)
  bus.publish('revision', { serviceId: 'orders', revision: 1 })
  await vi.advanceTimersByTimeAsync(0)
  expect(heard).toEqual(['orders@1'])
})

test('a lost hint costs a second', async () => {
  source.services.set('orders', 1)
  await vi.advanceTimersByTimeAsync(999)
  expect(heard).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(heard).toEqual(['orders@1'])
})

test('each revision is told once, and never an older one', async () => {
  source.services.set('orders', 2)
  await vi.advanceTimersByTimeAsync(3_000)
  source.services.set('orders', 1)
  await vi.advanceTimersByTimeAsync(3_000)
  source.services.set('orders', 3)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(heard).toEqual(['orders@2', 'orders@3'])
})

test('after an outage it goes on', async () => {
  source.away = true
  await vi.advanceTimersByTimeAsync(5_000)
  source.away = false
  source.services.set('orders', 4)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(heard).toEqual(['orders@4'])
})

test('a snapshot is read once per revision, however many ask', async () => {
  source.services.set('orders', 1)
  await watch.look()
  const all = await Promise.all(Array.from({ length: 1_000 }, () => watch.latest('orders')))
  expect(new Set(all).size).toBe(1)
  expect(source.reads).toBe(1)
  source.services.set('orders', 2)
  await watch.look()
  expect((await watch.latest('orders'))?.revision).toBe(2)
  expect(source.reads).toBe(2)
})

test('a snapshot that could not be read is asked for again', async () => {
  source.services.set('orders', 1)
  await watch.look()
  source.away = true
  await expect(watch.latest('orders')).rejects.toThrow('away')
  source.away = false
  expect((await watch.latest('orders'))?.revision).toBe(1)
})

test('after its end it leaves no timer and hears no hint', async () => {
  await watch.onModuleDestroy()
  source.services.set('orders', 1)
  bus.publish('revision', { serviceId: 'orders', revision: 1 })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(heard).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})
