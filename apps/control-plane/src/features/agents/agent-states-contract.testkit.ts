import { expect, test } from 'vitest'
import type { AgentRecord } from './agent-record.ts'
import { agents, everything, HASH, record, type StoreUnderTest } from './agent-store-records.testkit.ts'
import type { AgentFilter } from './agents-port.ts'

/** Agents by what is to be seen of them, all of a moment ago. */
export const listsByState = (make: () => Promise<StoreUnderTest>): void => {
  test('agents are found by state and by any word of theirs, what needs a look first, and counted', async () => {
    const { store, databaseId, publish } = await make()
    await publish(4, HASH)
    const nowMs = Date.now()
    const identity = { databaseId, revision: 4, hash: HASH }
    const said = (status: 'applied' | 'partly' | 'refused', of = identity) => ({ ...of, status, refused: [] })
    const one = (instance: string, rest: Partial<AgentRecord> = {}) =>
      record(databaseId, instance, {
        modeOverride: null,
        uncounted: false,
        applied: identity,
        receipt: said('applied'),
        lastHeardAtMs: nowMs,
        ...rest,
      })
    const connected = [
      one('fine'),
      one('from-disk', { source: 'disk' }),
      one('forced', { modeOverride: 'off', host: 'Berlin-1' }),
      one('alone', { uncounted: true }),
      one('part', { receipt: said('partly') }),
      one('no', { applied: null, receipt: said('refused') }),
      one('slow', { applied: { ...identity, revision: 3 }, receipt: said('applied', { ...identity, revision: 3 }) }),
      one('other', { applied: null, receipt: said('refused', { ...identity, hash: 'b'.repeat(64) }) }),
      one('ahead', { applied: { ...identity, revision: 9 }, receipt: null }),
      one('stale-disk', { source: 'disk', applied: { ...identity, revision: 3 }, receipt: null }),
      one('late', { lastHeardAtMs: nowMs - 60_000, source: 'disk' }),
      one('gone', { endedAtMs: nowMs, receipt: said('refused'), uncounted: true }),
      one('dead', { lastHeardAtMs: nowMs - 3_600_000 }),
      one('first', { service: 'payments', applied: null, receipt: null }),
    ]
    await store.write({ agents: agents(...connected), receipts: [], heard: [] })
    await store.write({
      agents: [{ record: one('poller', { source: 'poll' }), connected: false }],
      receipts: [],
      heard: [],
    })
    const list = async (filter: Partial<AgentFilter>) =>
      (await store.page('prod', { ...everything, ...filter }))?.map((row) => row.record.instance)
    expect(await list({ state: 'refused' })).toEqual(['no', 'part'])
    expect(await list({ state: 'pending' })).toEqual(['other', 'slow', 'stale-disk', 'first'])
    expect(await list({ state: 'fallback' })).toEqual(['late', 'poller', 'stale-disk'])
    expect(await list({ state: 'override' })).toEqual(['forced'])
    expect(await list({ state: 'uncounted' })).toEqual(['alone'])
    expect(await list({ state: 'lost' })).toEqual(['late'])
    expect(await list({ state: 'ended' })).toEqual(['dead', 'gone'])
    expect(await list({ search: 'BERLIN' })).toEqual(['forced'])
    expect(await list({ search: 'pay' })).toEqual(['first'])
    expect(await list({ search: '%' })).toEqual([])
    const urgent = [
      'no',
      'part',
      'forced',
      'alone',
      'late',
      'poller',
      'stale-disk',
      'other',
      'slow',
      'ahead',
      'fine',
      'from-disk',
    ]
    expect(await list({ urgent: true, service: 'orders', state: 'running' })).toEqual(urgent)
    expect(await list({ urgent: true, service: 'orders', offset: 2, limit: 3 })).toEqual(urgent.slice(2, 5))
    expect(await store.tally('prod', {})).toEqual({
      all: 15,
      running: 13,
      refused: 2,
      pending: 4,
      fallback: 3,
      override: 1,
      uncounted: 1,
      lost: 1,
      ended: 2,
    })
    expect(await store.tally('prod', { service: 'payments' })).toMatchObject({ all: 1, pending: 1 })
    expect(await store.tally('prod', { search: 'berlin' })).toMatchObject({
      all: 1,
      running: 1,
      override: 1,
      refused: 0,
    })
  })
}
