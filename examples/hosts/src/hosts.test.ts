import { readFile } from 'node:fs/promises'
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { Weir } from '@weir/agent'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ask } from './calls.ts'
import { start as express } from './express.ts'
import { start as fastify } from './fastify.ts'
import { start as grpc } from './grpc.ts'
import { start as http } from './http.ts'
import { start as nest } from './nest.ts'
import type { Running } from './report.ts'
import { HEALTH, REPORTS } from './reports-service.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

let weir: Weir
let running: Running
beforeEach(async () => {
  const bootstrapFile = new URL('../bootstrap.yaml', import.meta.url).pathname
  weir = await Weir.start({ bootstrapFile, snapshotDir: false, telemetry: 'off' })
})
afterEach(async () => {
  await running.close()
  await weir.close()
})

const gates = () => weir.status().gates.map(({ name, limit }) => ({ name, limit }))

describe.each(Object.entries({ fastify, express, http, nest }))('the example of %s', (_name, start) => {
  const get = (path: string) => fetch(`http://127.0.0.1:${running.port}${path}`)

  it('works behind its gate, refuses while it drains, and goes on answering its probe', async () => {
    running = await start(weir, 0)
    expect(await (await get('/reports/may')).json()).toEqual({ month: 'may', orders: 12 })
    expect(gates()).toEqual([{ name: 'reports', limit: 10 }])
    await weir.drain(5_000)
    const refused = await get('/reports/may')
    expect([refused.status, refused.headers.get('weir-reason')]).toEqual([503, 'draining'])
    expect(await (await get('/healthz')).text()).toBe('well')
  })
})

describe('the example of calls', () => {
  it('asks with every client, and all of them are calls of one dependency', async () => {
    running = await http(weir, 0)
    const may = { month: 'may', orders: 12 }
    expect(await ask(weir, `http://127.0.0.1:${running.port}`)).toEqual([may, may, may, may])
    expect(weir.status().dependencies.map(({ name }) => name)).toEqual(['reports'])
  })
})

describe('the example of gRPC', () => {
  it('works behind its gate, refuses while it drains, and goes on answering its probe', async () => {
    running = await grpc(weir, 0)
    const client = new Client(`127.0.0.1:${running.port}`, credentials.createInsecure(), { 'grpc.enable_retries': 0 })
    const call = ({ path, requestSerialize, responseDeserialize }: typeof REPORTS.get, message: unknown) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, (error, value) =>
          error ? reject(error) : resolve(value),
        )
      })
    try {
      expect(await call(REPORTS.get, 'may')).toEqual({ month: 'may', orders: 12 })
      expect(gates()).toEqual([{ name: 'reports', limit: 10 }])
      await weir.drain(5_000)
      const refused = await call(REPORTS.get, 'may').catch((error: ServiceError) => error)
      expect(refused).toMatchObject({ code: status.UNAVAILABLE })
      expect((refused as ServiceError).metadata.get('weir-reason')).toEqual(['draining'])
      expect(await call(HEALTH.check, {})).toBe('well')
    } finally {
      client.close()
    }
  })
})

describe('the embedding guide', () => {
  it('shows the examples as they are', async () => {
    running = { port: 0, close: async () => undefined }
    const guide = await readFile(new URL('../../../docs/embedding.md', import.meta.url), 'utf8')
    const shown = [...guide.matchAll(/<!-- example: (\S+) -->\n```\w+\n([\s\S]*?)```/g)]
    expect(shown.map(([, name]) => name)).toEqual(['express.ts', 'nest.ts', 'http.ts', 'grpc.ts', 'calls.ts'])
    for (const [, name, text] of shown) expect(text).toBe(await readFile(new URL(name ?? '', import.meta.url), 'utf8'))
  })
})
