import { policyHash } from '@weir/policy/hash'
import { deltaOf } from '@weir/policy/model'
import type { Delta, Snapshot } from '@weir/wire/model'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { snapshotOf, TestControlPlane } from './control-plane.testkit.ts'
import { Weir } from './index.ts'

let plane: TestControlPlane
let weir: Weir
beforeEach(async () => {
  plane = await TestControlPlane.start()
  plane.snapshot = policy(1, 10)
  weir = await Weir.start({
    controlPlane: `ws://127.0.0.1:${plane.port}`,
    key: 'key',
    instance: 'one',
    snapshotDir: false,
    telemetry: 'off',
  })
  await receipts(1)
})
afterEach(async () => {
  await weir.close()
  await plane.stop()
})

const policy = (revision: number, slots: number): Snapshot => snapshotOf(revision, { checkout: { concurrency: slots } })
const receipts = (count: number) => plane.until(() => plane.of('receipt').length >= count)
const last = () => plane.of('receipt').at(-1)
const limit = () => weir.status().policy?.revision

const delta = (from: Snapshot, to: Snapshot): Delta => {
  const { databaseId, revision, hash } = to
  const changes = deltaOf(
    from.effective as unknown as Record<string, unknown>,
    to.effective as unknown as Record<string, unknown>,
  )
  return { type: 'delta', databaseId, revision, hash, from: { revision: from.revision, hash: from.hash }, changes }
}

it('applies deltas in a row, each to the one before, and answers each with a receipt', async () => {
  const [first, second, third] = [policy(1, 10), policy(2, 20), policy(3, 30)]
  plane.broadcast(delta(first, second))
  plane.broadcast(delta(second, third))
  await receipts(3)
  expect(last()).toMatchObject({ revision: 3, hash: third.hash, status: 'applied' })
  expect(limit()).toBe(3)
  expect(plane.of('resync')).toEqual([])
})

it.each<[string, () => Delta]>([
  ['a gap', () => delta(policy(2, 20), policy(3, 30))],
  ['another base of the same number', () => delta(policy(1, 11), policy(3, 30))],
  ['another database', () => ({ ...delta(policy(1, 10), policy(3, 30)), databaseId: 'other' })],
  ['a hash that differs', () => ({ ...delta(policy(1, 10), policy(3, 30)), hash: policyHash('else') })],
  [
    'a path that is not there',
    () => ({ ...delta(policy(1, 10), policy(3, 30)), changes: [{ path: ['no', 'where'] }] }),
  ],
])('%s: asks for the whole policy, keeps what is in force until it comes, and goes on from it', async (_, given) => {
  plane.broadcast(given())
  await plane.until(() => plane.of('resync').length === 1)
  expect(plane.of('resync')).toEqual([{ type: 'resync', revision: 3 }])
  expect(limit()).toBe(1)
  expect(plane.of('receipt')).toHaveLength(1)
  plane.broadcast(policy(3, 30))
  plane.broadcast(delta(policy(3, 30), policy(4, 40)))
  await receipts(3)
  expect(last()).toMatchObject({ revision: 4, status: 'applied' })
  expect(limit()).toBe(4)
})
