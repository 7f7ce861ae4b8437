import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

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
})
