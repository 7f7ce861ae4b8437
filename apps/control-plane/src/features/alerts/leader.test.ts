import { expect, it } from 'vitest'
import { HeldTerm } from './leader.ts'
import { MemoryLease } from './memory-book.testkit.ts'

const START = 1_800_000_000_000

/** A round that lasts until it is let go. */
const longRound = () => {
  let end = () => {}
  const lasting = new Promise<void>((resolve) => {
    end = resolve
  })
  return { end, round: () => lasting }
}

it('a round that is longer than a term keeps it, and nobody else gets it', async () => {
  const lease = new MemoryLease(START)
  const [own, other] = [lease.replica(), lease.replica()]
  const held = new HeldTerm(own, () => lease.nowMs)
  const token = (await own.hold())?.token
  const { end, round } = longRound()
  const running = held.during(round)
  for (let second = 1; second <= 20; second++) {
    lease.nowMs = START + second * 1_000
    await held.keep()
    expect(await other.hold()).toBeNull()
  }
  end()
  await running
  expect(lease.token).toBe(token)
})

it('a round that hangs loses it, and so does a replica between rounds', async () => {
  const lease = new MemoryLease(START)
  const [own, other] = [lease.replica(), lease.replica()]
  const held = new HeldTerm(own, () => lease.nowMs)
  await own.hold()
  const { end, round } = longRound()
  const running = held.during(round)
  for (let second = 1; second <= 66; second++) {
    lease.nowMs = START + second * 1_000
    await held.keep()
  }
  expect(await other.hold()).not.toBeNull()
  end()
  await running
  lease.nowMs += 6_000
  await held.keep()
  expect(lease.holder).toBe(other)
})
