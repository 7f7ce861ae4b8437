import { Weir } from '@weir/agent'
import type { CreatedKey, Page, PolicyVersion } from '@weir/api'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../examples/fleet/src/demo/wait.ts'
import { controlPlane } from './started.ts'

const PUBLISHES = 100
const KILL_AT = 50
const AGENTS = 5

describe('kill -9 of the control plane in the middle of a hundred publishes', () => {
  it('keeps every publish that was answered 2xx, and every agent ends on the last revision', async () => {
    const { controlPlane: plane, rest, folder } = await controlPlane()
    const at = '/environments/shop/services/orders'
    await rest.call('POST', '/environments', { body: { name: 'shop' } })
    await rest.call('POST', '/environments/shop/services', { body: { name: 'orders' } })
    const key = await rest.call<CreatedKey>('POST', '/environments/shop/keys', {
      body: { name: 'test', services: ['orders'] },
    })
    const agents = await Promise.all(
      Array.from({ length: AGENTS }, (_, i) =>
        Weir.start({
          service: 'orders',
          controlPlane: plane.webSocket,
          key: key.body.secret,
          instance: `orders-${i}`,
          snapshotDir: folder,
        }),
      ),
    )
    onTestFinished(async () => {
      await Promise.all(agents.map((agent) => agent.close()))
    })

    const answered: { limit: number; version: number }[] = []
    for (let limit = 1; limit <= PUBLISHES; limit++) {
      const publish = rest.publish(
        'shop',
        'orders',
        `gates: { checkout: { concurrency: ${limit} } }`,
        `Publish ${limit}`,
        limit === KILL_AT ? () => plane.kill() : undefined,
      )
      const outcome = await publish.catch(() => undefined)
      if (outcome) answered.push({ limit, version: outcome.version })
      if (limit === KILL_AT) await plane.start()
    }
    expect(answered.length).toBeGreaterThanOrEqual(PUBLISHES - 1)

    const versions = new Map<number, PolicyVersion>()
    let cursor: string | null = null
    do {
      const page: Page<PolicyVersion> = (
        await rest.call<Page<PolicyVersion>>(
          'GET',
          `${at}/policy/versions?limit=1000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
        )
      ).body
      for (const version of page.items) versions.set(version.version, version)
      cursor = page.next
    } while (cursor)
    for (const { limit, version } of answered)
      expect(versions.get(version)?.document).toContain(`concurrency: ${limit} `)

    const last = Math.max(...[...versions.values()].map((version) => version.revision))
    const rows = await until(
      'every agent to be on the last revision',
      async () => {
        const found = (await rest.agents('shop')).filter((agent) => agent.connected)
        return (
          found.length === AGENTS &&
          found.every((agent) => agent.appliedRevision === last && agent.status === 'applied') &&
          found
        )
      },
      40_000,
    )
    expect(rows.every((agent) => agent.intendedRevision === last)).toBe(true)
  }, 180_000)
})
