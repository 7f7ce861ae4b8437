import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { CheckResult, Result, SideResult } from './result.ts'
import { broken } from './screen.ts'

interface Measured {
  readonly figures: { readonly G1: number; readonly G1_without: number }
  readonly checks: { readonly ramp: readonly CheckResult[] }
}

const run = promisify(execFile)
const bench = new URL('../overload.ts', import.meta.url).pathname
const overload = (...args: string[]) => run(process.execPath, ['--no-warnings', bench, ...args])

describe('a fleet driven past its capacity, held there and let go', () => {
  it('says what is wrong with a flag, and ends with 2', async () => {
    for (const args of [['--scenario', 'nothing'], ['--seed', 'many'], ['--fast']]) {
      const failed = await overload(...args).catch((error: { code: number; stderr: string }) => error)
      expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(args.at(-1) as string) })
    }
  }, 60_000)

  it('goes on with Weir where it collapses without, refuses with a type, and accounts for every unit', async () => {
    const { stdout } = await overload('--quick', '--scenario', 'ramp')
    const { figures, checks } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Measured
    const found = (id: string) => checks.ramp.find((check) => check.id === id)
    expect(found('books'), stdout).toMatchObject({ holds: true })
    expect(found('cheap-refusals')?.values, stdout).toMatchObject({ untyped: 0 })
    expect(figures.G1, stdout).toBeGreaterThan(2 * figures.G1_without)
  }, 180_000)

  it('names the invariant that does not hold, and the seed that shows it again', () => {
    const checks = [{ id: 'books', invariant: 'The figures add up', holds: false, figure: '3 of 4', values: {} }]
    const side = { checks } as unknown as SideResult
    const result = { name: 'ramp', seed: 7, sides: { with: side, without: side } } as Result
    expect(broken([result], true)).toEqual([
      'ramp: "The figures add up" does not hold: 3 of 4. Again: npm run overload -- --scenario ramp --seed 7 --quick',
    ])
  })
})
