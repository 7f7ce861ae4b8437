import { expect, it } from 'vitest'
import type { Bus } from './bus.ts'

/** What every bus keeps. `near` and `far` are the buses of two replicas; with one replica, the same twice. */
export const busContract = (make: () => Promise<{ near: Bus; far: Bus }>): void => {
  it('every subscriber of every replica hears, after the sender went on, until it ends', async () => {
    const { near, far } = await make()
    const heard: string[] = []
    const end = near.subscribe('key-revoked', ({ keyId }) => heard.push(`a ${keyId}`))
    near.subscribe('key-revoked', ({ keyId }) => heard.push(`b ${keyId}`))
    far.subscribe('key-revoked', ({ keyId }) => heard.push(`c ${keyId}`))
    near.subscribe('revision', ({ serviceId }) => heard.push(serviceId))
    near.publish('key-revoked', { keyId: '1' })
    expect(heard).toEqual([])
    await expect.poll(() => heard.toSorted()).toEqual(['a 1', 'b 1', 'c 1'])
    end()
    far.publish('key-revoked', { keyId: '2' })
    await expect.poll(() => heard.slice(3).toSorted()).toEqual(['b 2', 'c 2'])
  })

  it('what is said comes whole and in order', async () => {
    const { near, far } = await make()
    const heard: number[] = []
    far.subscribe('revision', ({ revision }) => heard.push(revision))
    const sent = Array.from({ length: 200 }, (_, i) => i)
    for (const revision of sent) near.publish('revision', { serviceId: 'a', revision })
    await expect.poll(() => heard.length).toBe(200)
    expect(heard).toEqual(sent)
  })
}
