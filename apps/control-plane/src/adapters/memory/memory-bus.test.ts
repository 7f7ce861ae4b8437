import { expect, test } from 'vitest'
import { MemoryBus } from './memory-bus.ts'

test('every subscriber hears, after the sender went on, until it ends', async () => {
  const bus = new MemoryBus()
  const heard: string[] = []
  const end = bus.subscribe('key-revoked', ({ keyId }) => heard.push(`a ${keyId}`))
  bus.subscribe('key-revoked', ({ keyId }) => heard.push(`b ${keyId}`))
  bus.publish('key-revoked', { keyId: '1' })
  expect(heard).toEqual([])
  await Promise.resolve()
  end()
  bus.publish('key-revoked', { keyId: '2' })
  await Promise.resolve()
  expect(heard).toEqual(['a 1', 'b 1', 'b 2'])
})
