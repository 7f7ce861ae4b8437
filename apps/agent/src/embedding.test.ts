import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPolicy } from '@weir/policy'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { count, resize } from '../../../docs/snippets/by-hand.ts'
import { whyOn } from '../../../docs/snippets/why.ts'
import { snapshotOf, TestControlPlane } from './control-plane.testkit.ts'
import { Weir } from './index.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

const docs = new URL('../../../docs/', import.meta.url)
const ends: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Starts the snippet as its reader would, and resolves with its address once it listens. */
const startOrders = async (env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> => {
  // What an earlier process kept on the disk is not to be found again.
  const folder = await mkdtemp(join(tmpdir(), 'weir-orders-'))
  ends.push(() => rm(folder, { recursive: true, force: true }))
  return new Promise((resolve, reject) => {
    const script = new URL('snippets/orders.ts', docs).pathname
    const child = spawn(process.execPath, ['--conditions', 'weir-src', '--no-warnings', script], {
      env: { ...process.env, PORT: '0', TMPDIR: folder, ...env },
    })
    ends.push(() => child.kill('SIGKILL'))
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [, url] = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? []
      if (url) resolve({ child, url })
    })
    child.stderr.on('data', (chunk) => reject(new Error(String(chunk))))
  })
}

const paymentService = async (): Promise<string> => {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end('"paid"'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the embedding guide', () => {
  it('shows its snippets as they are', async () => {
    const guide = await readFile(new URL('embedding.md', docs), 'utf8')
    const shown = [...guide.matchAll(/<!-- snippet: (\S+) -->\n```\w+\n([\s\S]*?)```/g)]
    expect(shown.map(([, name]) => name)).toEqual(['orders.ts', 'bootstrap.yaml', 'by-hand.ts', 'later.ts', 'why.ts'])
    for (const [, name, text] of shown) expect(text).toBe(await readFile(new URL(`snippets/${name}`, docs), 'utf8'))
  })

  it.each(['consumers.md'])('shows the snippets of mechanisms/%s as they are', async (name) => {
    const page = await readFile(new URL(`mechanisms/${name}`, docs), 'utf8')
    const shown = [...page.matchAll(/<!-- snippet: (\S+) -->\n```\w+\n([\s\S]*?)```/g)]
    expect(shown.length).toBeGreaterThan(3)
    for (const [, file, text] of shown) {
      const written = await readFile(new URL(`snippets/${file}`, docs), 'utf8')
      expect(text).toBe(written)
      if (file?.endsWith('.yaml')) expect(readPolicy(written)).toMatchObject({ ok: true })
    }
  })

  it('has a service that runs on its bootstrap file, obeys a push, and ends on SIGTERM', async () => {
    const plane = await TestControlPlane.start()
    ends.push(() => plane.stop())
    plane.snapshot = snapshotOf(1, { checkout: { concurrency: 3 } })
    const { child, url } = await startOrders({
      WEIR_CONTROL_PLANE: `ws://127.0.0.1:${plane.port}`,
      WEIR_KEY: 'the-key',
      PAYMENTS_URL: await paymentService(),
    })
    await plane.until(() => plane.of('receipt').length >= 1)
    expect(plane.of('receipt')[0]).toMatchObject({ revision: 1, status: 'applied' })
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('well')
    expect(await (await fetch(`${url}/orders`, { method: 'POST' })).json()).toMatchObject({ payment: 'paid' })
    const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(plane.of('bye')).toHaveLength(1)
  })

  it('has a service that answers without payment and without a control plane', async () => {
    const { url } = await startOrders({
      WEIR_CONTROL_PLANE: 'ws://127.0.0.1:9',
      WEIR_KEY: 'another-key',
      PAYMENTS_URL: 'http://127.0.0.1:9',
    })
    const answer = await fetch(`${url}/orders`, { method: 'POST' })
    expect([answer.status, await answer.json()]).toEqual([202, expect.objectContaining({ payment: 'later' })])
  })

  it('has code that works by hand', async () => {
    const weir = await Weir.start({ controlPlane: 'ws://127.0.0.1:9', key: 'k', snapshotDir: false, mode: 'enforce' })
    ends.push(() => weir.close())
    const { signal } = new AbortController()
    expect(await resize(weir.gate('images'), new Uint8Array(8), signal)).toHaveLength(4)
    expect(count(weir.gate('words'), 'a b c')).toBe(3)
    await weir.drain(0)
    expect(await resize(weir.gate('images'), new Uint8Array(8), signal)).toBe('busy')
    expect(count(weir.gate('words'), 'a b c')).toBeNull()
  })

  it('S3 has an answer to why work was shed, for operators outside the process', async () => {
    const weir = await Weir.start({ controlPlane: 'ws://127.0.0.1:9', key: 'k', snapshotDir: false, mode: 'enforce' })
    ends.push(() => weir.close())
    const server = whyOn(weir, 0)
    ends.push(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    weir.gate('words').drain()
    weir.gate('words').tryAcquire({ tenant: 'acme', criticality: 'critical', route: '/words' })
    const why = async (gate: string) => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?gate=${gate}`)
      return [answer.status, await answer.json()]
    }
    const decision = { gate: 'words', tenant: 'acme', route: '/words', criticality: 'critical', outcome: 'draining' }
    expect(await why('words')).toEqual([200, [expect.objectContaining(decision)]])
    expect(await why('nothing')).toEqual([404, []])
    expect(weir.status().gates.map(({ name }) => name)).toEqual(['words'])
  })
})
