import { afterEach, describe, expect, it, vi } from 'vitest'
import { HOSTS } from './hosts.testkit.ts'
import { Stage } from './stage.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let stage: Stage
afterEach(() => stage.stop())

const DEADLINE = { defaultMs: 5_000, minMs: 100, maxMs: 8_000 }
const PLAIN = { criticality: 'sheddable-plus', tenant: null, attempt: 1 }

// gRPC has a deadline of its own, which the library itself holds to be a number.
describe.each(HOSTS.filter(({ transport }) => transport === 'http'))(
  'a deadline header that makes no sense in $name',
  (host) => {
    it.each([
      ['-5', 5_000],
      ['NaN', 5_000],
      ['1e3', 5_000],
      ['', 5_000],
      ['99999999999999999999', 5_000],
      ['9999999999', 8_000],
      ['1', 100],
    ])('%j is taken as %i ms', async (said, ms) => {
      stage = await Stage.of(host, { deadline: DEADLINE }, { trust: () => true })
      const { remainingMs } = await stage.echo({ 'weir-deadline-ms': said })
      expect(remainingMs).toBeLessThanOrEqual(ms)
      expect(remainingMs).toBeGreaterThan(ms === 100 ? 0 : ms === 8_000 ? 5_000 : 100)
    })

    it('of 0 has passed: it starts nothing', async () => {
      stage = await Stage.of(host, { deadline: DEADLINE }, { trust: () => true })
      const refused = await stage.client.call('work', { context: { 'weir-deadline-ms': '0' } }).answer
      expect(refused).toMatchObject({ kind: 'refusal', reason: 'expired-on-arrival', signal: 'stop', waitMs: null })
      expect([stage.script.runs, stage.rig.books()]).toEqual([0, { offered: 1, expired: 1 }])
    })
  },
)

describe.each(HOSTS)('headers that make no sense in $name', (host) => {
  it.each([
    ['a tenant of 10 kB', { 'weir-tenant': 'x'.repeat(10_240) }],
    ['a tenant that cannot be decoded', { 'weir-tenant': '%E0%A4%A' }],
    ['an unknown class', { 'weir-criticality': 'most-important' }],
    ['an attempt of 0', { 'weir-attempt': '0' }],
    ['an attempt that is none', { 'weir-attempt': '-3' }],
    ['baggage of 8 kB', { baggage: Array(500).fill('weir.tenant=').join(',') }],
  ])('%s is as if it were not there', async (_what, context) => {
    stage = await Stage.of(host, {}, { trust: () => true })
    expect(await stage.echo(context)).toMatchObject(PLAIN)
    expect(stage.rig.gate.mishaps.faults).toBe(0)
  })

  it('a tenant of 10 kB from the host itself shares one account with its like, and gets no entry', async () => {
    stage = await Stage.of(host, {}, { tenant: () => 'x'.repeat(10_240) })
    expect((await stage.client.call('echo', { body: {} }).answer).kind).toBe('answer')
    expect(stage.rig.gate.trackedTenants).toBe(0)
  })
})
