import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { listening } from './stack.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const script = new URL('calls-process.testkit.ts', import.meta.url).pathname
const run = (...given: string[]) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, ['--conditions', 'weir-src', '--no-warnings', script, ...given])
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })

const long = { timeoutMs: 600_000 }
const dependencies = {
  running: long,
  sleeping: {
    ...long,
    retry: { initialMs: 300_000, maxMs: 300_000, jitter: 'none' },
    breaker: { mode: 'forced-closed' },
  },
  hedged: { ...long, hedge: { afterMs: 20 } },
  probed: { ...long, retry: { maxAttempts: 1 }, breaker: { minimumVolume: 1, openMs: 1, probeLeaseMs: 600_000 } },
}

describe('the end of a process with calls of all kinds', () => {
  it('B-10 B-17g close settles what runs, sleeps, probes, hedges and falls back; nothing is left, and the process ends by itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-close-'))
    const server = createServer((request, response) => {
      if (request.url === '/body') response.writeHead(200).write('first')
    })
    try {
      await writeFile(join(folder, 'policy.yaml'), JSON.stringify({ dependencies }))
      const { code, stdout, stderr } = await run(join(folder, 'policy.yaml'), await listening(server))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toEqual({
        probed: ['half-open'],
        before: 6,
        settled: ['draining', 'draining', 'draining', 'draining', 'draining', 'Error'],
        resources: [],
      })
    } finally {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
