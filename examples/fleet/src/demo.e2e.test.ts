import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const demo = new URL('../dist/demo.js', import.meta.url).pathname

describe('the demo without a person', () => {
  it('holds its limits through an outage, and says what it measured in one JSON line', async () => {
    const { stdout } = await run(process.execPath, [demo, '--check'])
    const { figures } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { figures: Record<string, number> }
    expect(figures).toMatchObject({ agents: 3 })
    for (const name of ['applied_ms', 'shed_before', 'shed_after', 'recovered_ms'])
      expect(figures[name]).toBeGreaterThan(0)
  }, 180_000)

  it('fails where the agents are told to be off', async () => {
    const failed = await run(process.execPath, [demo, '--check'], { env: { ...process.env, WEIR_MODE: 'off' } }).catch(
      (error: { code: number; stderr: string }) => error,
    )
    expect(failed).toMatchObject({ code: 1 })
  }, 180_000)
})
