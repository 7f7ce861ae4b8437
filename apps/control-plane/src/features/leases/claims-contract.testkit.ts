import { expect, it } from 'vitest'
import { type ClaimStore, type ClaimTiming, quietMs } from './claim-store.ts'

export interface ClaimsUnderTest {
  readonly store: ClaimStore
  readonly timing: ClaimTiming
  /** Lets time pass; somebody calls the store every `turnMs` meanwhile. */
  pass(ms: number): Promise<void>
  /** Lets time pass in which nobody calls it. */
  idle(ms: number): Promise<void>
  /** Empties the store. */
  lose(): Promise<void>
}

/** What every store of claims keeps. */
export const claimsContract = (make: () => Promise<ClaimsUnderTest>): void => {
  const set = async () => {
    const made = await make()
    const { store, timing } = made
    const memories = new Map<string, string>()
    const claim = async (replica: string, book = 'orders', owns = false) => {
      const { memory, owners } = await store.claim(replica, memories.get(replica) ?? null, [{ book, owns }])
      memories.set(replica, memory)
      return owners[0]
    }
    return { ...made, claim, quietMs: quietMs(timing) * 1.1, longestMs: (timing.claimMs + timing.spareMs) * 1.1 }
  }
  const settled = async () => {
    const made = await set()
    await made.claim('a', 'none')
    await made.pass(made.quietMs)
    return made
  }

  it('a store without a memory gives nothing for as long as a claim lasts, then to the first', async () => {
    const { claim, pass, quietMs } = await set()
    expect([await claim('a'), await claim('a')]).toEqual([null, null])
    await pass(quietMs)
    expect([await claim('a'), await claim('b'), await claim('a')]).toEqual(['a', 'a', 'a'])
  })

  it('a claim lasts while it is renewed, and then some; books are apart', async () => {
    const { claim, pass, timing, longestMs } = await settled()
    expect([await claim('a'), await claim('b', 'payments')]).toEqual(['a', 'b'])
    for (let i = 0; i < 4; i++) {
      await pass(timing.claimMs / 2)
      expect([await claim('a'), await claim('b')]).toEqual(['a', 'a'])
    }
    await pass(timing.claimMs)
    expect(await claim('b')).toBe('a')
    await pass(longestMs)
    expect([await claim('b'), await claim('a')]).toEqual(['b', 'b'])
  })

  it('what is given up is free at once; nobody gives up what is not its own', async () => {
    const { claim, store } = await settled()
    await claim('a')
    await store.release('b', ['orders'])
    expect(await claim('b')).toBe('a')
    await store.release('a', ['orders', 'never claimed'])
    expect([await claim('b'), await claim('a')]).toEqual(['b', 'b'])
  })

  it('after a loss of memory only who owns, and heard of it while it owned, gets its book', async () => {
    const { claim, lose, pass, quietMs } = await settled()
    expect([await claim('a'), await claim('b', 'payments')]).toEqual(['a', 'b'])
    await lose()
    // It owns, but may say so of a moment before the loss: another one could own since.
    expect(await claim('a', 'orders', true)).toBeNull()
    expect(await claim('c')).toBeNull()
    expect(await claim('a', 'orders', true)).toBe('a')
    expect(await claim('c')).toBe('a')
    // Who does not own, or hears of it only now, waits.
    expect([await claim('b', 'payments', true), await claim('c', 'payments')]).toEqual([null, null])
    expect(await claim('b', 'payments', false)).toBeNull()
    await pass(quietMs)
    expect(await claim('c', 'payments')).toBe('c')
    // What was given since counts, whatever anybody says.
    expect(await claim('b', 'payments', true)).toBe('c')
  })

  it('a store that nobody has asked for long takes its clock for set, and forgets', async () => {
    const { store, claim, idle, timing } = await settled()
    const { memory } = await store.claim('a', null, [])
    await idle(timing.spareMs / 2)
    expect((await store.claim('a', null, [])).memory).toBe(memory)
    await claim('a')
    await idle(timing.spareMs * 1.2)
    expect(await claim('b')).toBeNull()
    expect((await store.claim('a', null, [])).memory).not.toBe(memory)
  })
}
