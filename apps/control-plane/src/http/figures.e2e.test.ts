import { Weir } from '@weir/agent'
import { LIVE, type LiveMessage } from '@weir/api'
import { afterEach, expect, test } from 'vitest'
import WebSocket from 'ws'
import { freshDatabase } from '../testing/fresh-database.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { withKey } from '../testing/telemetry.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close()
})

const totals = async (weir: TestApp): Promise<Record<string, number>> => {
  const range = { from: new Date(Date.now() - 600_000).toISOString(), to: new Date(Date.now() + 10_000).toISOString() }
  return (await weir.call('GET', `/api/v1/environments/prod/outcomes?${new URLSearchParams(range)}`)).body.totals
}

/** The first live message for which `wanted` holds. */
const liveMessage = (weir: TestApp, wanted: (message: LiveMessage) => boolean): Promise<LiveMessage> => {
  const socket = new WebSocket(weir.url.replace(/^http/, 'ws') + LIVE.path, LIVE.subprotocol, {
    headers: { authorization: 'Bearer test-viewer' },
  })
  running.push({ close: async () => socket.terminate() })
  socket.on('error', () => {})
  socket.once('open', () => socket.send(JSON.stringify({ type: 'watch', environment: 'prod', service: 'orders' })))
  return new Promise((resolve) =>
    socket.on('message', (data) => {
      const message: LiveMessage = JSON.parse(String(data))
      if (message.type === 'ping') socket.send(JSON.stringify({ type: 'pong' }))
      if (wanted(message)) resolve(message)
    }),
  )
}

test('what real agents counted is what the control plane shows, live and kept, over a restart in the middle', async () => {
  const { url: databaseUrl, drop } = await freshDatabase()
  running.push({ close: drop })
  let weir = await startTestApp({ databaseUrl })
  const key = await withKey(weir, 'prod', 'orders')
  const agents = await Promise.all(
    ['one', 'two'].map((instance) =>
      Weir.start({
        controlPlane: weir.url.replace(/^http/, 'ws'),
        key,
        instance,
        snapshotDir: false,
        mode: 'enforce',
      }),
    ),
  )
  for (const agent of agents) running.push({ close: () => agent.close() })
  const counted = { offered: 0, accepted: 0, shed: 0, completed: 0, failed: 0 }
  const work = (pieces: number) => {
    for (let i = 0; i < pieces; i++) {
      const held = agents.map((agent) =>
        agent.gate('checkout').tryAcquire({ tenant: `t${i % 3}`, criticality: 'critical' }),
      )
      for (const [n, entry] of held.entries()) {
        counted.offered++
        if (!entry.accepted) {
          counted.shed++
          continue
        }
        counted.accepted++
        counted[n === 0 ? 'completed' : 'failed']++
        if (n === 0) entry.success()
        else entry.failure()
      }
    }
  }
  const tick = liveMessage(
    weir,
    (message) => message.type === 'tick' && message.rows.some((row) => (row.figures.offered ?? 0) > 0),
  )
  work(50)
  expect(await tick).toMatchObject({ rows: [{ kind: 'gate', service: 'orders', name: 'checkout' }] })

  const { port } = new URL(weir.url)
  await weir.close()
  work(30)
  weir = await startTestApp({ databaseUrl, environment: { PORT: port } })
  running.push(weir)
  work(20)
  await expect.poll(() => totals(weir), { timeout: 45_000, interval: 500 }).toMatchObject(counted)
  work(10)
  for (const agent of agents) await agent.close()
  expect(await totals(weir)).toMatchObject(counted)
  expect(counted.offered).toBe(220)
})
