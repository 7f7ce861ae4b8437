import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { Losses, Row } from './figures.ts'

const SCRIPT = new URL('../experiment.ts', import.meta.url).pathname

const experiment = (...flags: string[]) =>
  promisify(execFile)(process.execPath, ['--conditions', 'weir-src', '--no-warnings', SCRIPT, ...flags])

it('the experiment runs all five stages, and under the whole contract no payment is lost or made twice', async () => {
  const { stdout } = await experiment('--quick')
  const { figures } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    figures: { rows: Row[]; losses: Losses[] }
  }
  expect(figures.rows.map(({ name }) => name)).toEqual(['base', 'retry', 'breaker', 'bulkhead', 'weir'])
  expect(figures.rows.filter(({ paid, deaths }) => paid === 0 || deaths === 0)).toEqual([])
  const weir = figures.losses[4]
  expect(weir?.deferred).toBeGreaterThan(0)
  expect(weir).toMatchObject({ deferredOnce: weir?.deferred, twice: 0, brokenPromises: 0 })
  expect(figures.rows[4]?.errors).toBeLessThanOrEqual(figures.rows[0]?.errors ?? 0)
}, 240_000)

it('says which flag is wrong, and ends with 2', async () => {
  await expect(experiment('--rounds', 'many')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching('--rounds'),
  })
  await expect(experiment('--slow')).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching('--slow') })
})
