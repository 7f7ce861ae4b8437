import { spawn } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TestControlPlane } from './control-plane.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

let plane: TestControlPlane
beforeEach(async () => {
  plane = await TestControlPlane.start()
})
afterEach(() => plane.stop())

const script = new URL('process.testkit.ts', import.meta.url).pathname

/** Runs a host process of its own to its natural end. */
const host = (controlPlane: string, end: 'close' | 'close-at-once' | 'leave') =>
  new Promise<{ code: number | null; output: Record<string, unknown>; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, ['--conditions', 'weir-src', '--no-warnings', script, controlPlane, end])
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('close', (code) => resolve({ code, output: JSON.parse(stdout || '{}'), stderr }))
  })

const offered = () =>
  plane.exports
    .flatMap(({ body }) => body.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics))
    .flatMap((scope) => (scope as { metrics: { name: string; sum?: { dataPoints: { asInt: string }[] } }[] }).metrics)
    .filter(({ name }) => name === 'weir.gate.offered')
    .flatMap(({ sum }) => sum?.dataPoints ?? [])
    .reduce((total, { asInt }) => total + Number(asInt), 0)

describe('the end of a host process', () => {
  it('B-10 close says bye, sends the last figures and leaves no timer, socket or listener', async () => {
    const { code, output, stderr } = await host(`ws://127.0.0.1:${plane.port}`, 'close')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(output).toMatchObject({ connected: true, resources: [], errors: [] })
    expect(plane.of('bye')).toEqual([{ type: 'bye', reason: 'closing' }])
    expect(offered()).toBe(5)
  })

  it('close is bounded in time when the telemetry endpoint never answers', async () => {
    plane.onMetrics = () => undefined
    const { code, output } = await host(`ws://127.0.0.1:${plane.port}`, 'close')
    expect(code).toBe(0)
    expect(output.closeMs).toBeLessThan(4_000)
    expect(output.resources).toEqual([])
  })

  it('B-17g a host that never closes can still end', async () => {
    const { code, stderr } = await host(`ws://127.0.0.1:${plane.port}`, 'leave')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('close does not wait for a control plane that is not there', async () => {
    const { code, output } = await host('ws://127.0.0.1:9', 'close-at-once')
    expect(code).toBe(0)
    expect(output).toMatchObject({ connected: false, resources: [] })
    expect(output.closeMs).toBeLessThan(1_500)
  })
})
