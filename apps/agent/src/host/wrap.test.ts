import { describe, expect, it } from 'vitest'
import { rig } from '../outbound/rig.testkit.ts'
import { weirWrap } from './wrap.ts'

describe('any function as a dependency', () => {
  it('gets the attempt and what the caller gave; options may depend on it', async () => {
    const { dependency, time } = rig({ retry: { maxAttempts: 2 } })
    const weir = { dependency: () => dependency }
    const seen: number[] = []
    const find = weirWrap(
      weir,
      'users',
      async ({ attempt }, id: string) => {
        seen.push(attempt)
        if (attempt === 1) throw new Error('first')
        return `user ${id}`
      },
      (id) => ({ idempotent: true, fallback: () => `nobody like ${id}` }),
    )
    const found = find('7')
    await time.run(1_000)
    expect(await found).toBe('user 7')
    expect(seen).toEqual([1, 2])
    const save = weirWrap(weir, 'users', () => Promise.reject(new Error('down')))
    await expect(save()).rejects.toThrow('down')
  })
})
