import { expect, test } from 'vitest'
import type { AgentRecord, ReceiptRecord } from './agent-record.ts'
import { listsByState } from './agent-states-contract.testkit.ts'
import { agents, everything, HASH, record, START, type StoreUnderTest } from './agent-store-records.testkit.ts'
import type { AgentStore } from './agents-port.ts'

const receipt = (databaseId: string, revision: number, rest: Partial<ReceiptRecord> = {}): ReceiptRecord => ({
  environment: 'prod',
  service: 'orders',
  instance: 'a',
  boot: 'boot',
  databaseId,
  revision,
  hash: HASH,
  status: 'refused',
  refused: [{ path: 'gates.a', message: 'No.' }],
  atMs: START + revision,
  ...rest,
})
const ORDERS = { environment: 'prod', service: 'orders' }

/** What every store of agents promises. */
export const agentStoreContract = (make: () => Promise<StoreUnderTest>): void => {
  keepsAgents(make)
  listsByState(make)
  keepsReceipts(make)
  servesReplicas(make)
}

const keepsAgents = (make: () => Promise<StoreUnderTest>): void => {
  test('an agent comes back as it was written, and the last write counts', async () => {
    const { store, databaseId } = await make()
    const one = record(databaseId, 'a')
    await store.write({ agents: agents({ ...one, boot: 'earlier', endedAtMs: START }), receipts: [], heard: [] })
    await store.write({ agents: agents(one), receipts: [], heard: [] })
    expect((await store.room(ORDERS))?.members).toEqual([one])
    expect((await store.page('prod', everything))?.map((row) => row.record)).toEqual([one])
  })

  test('who ended is listed but not a member; a service that is not there is neither', async () => {
    const { store, databaseId } = await make()
    const ended = record(databaseId, 'gone', { endedAtMs: START + 5 })
    const lost = record(databaseId, 'x', { service: 'none' })
    await store.write({
      agents: agents(ended, lost),
      receipts: [receipt(databaseId, 1, { service: 'none' })],
      heard: [],
    })
    expect((await store.room(ORDERS))?.members).toEqual([])
    expect((await store.page('prod', everything))?.map((row) => row.record.endedAtMs)).toEqual([START + 5])
    expect(await store.room({ environment: 'prod', service: 'none' })).toBeNull()
    expect(await store.page('none', everything)).toBeNull()
    expect(await store.receipts({ environment: 'prod', service: 'none' }, { before: null, limit: 5 })).toBeNull()
  })

  test('being heard moves on and never back', async () => {
    const { store, databaseId } = await make()
    await store.write({ agents: agents(record(databaseId, 'a')), receipts: [], heard: [] })
    for (const lastHeardAtMs of [START + 9_000, START + 4_000])
      await store.write({ agents: [], receipts: [], heard: [record(databaseId, 'a', { lastHeardAtMs })] })
    expect((await store.room(ORDERS))?.members[0]?.lastHeardAtMs).toBe(START + 9_000)
  })

  test('pages go by service and instance, filtered, with the intended revision', async () => {
    const { store, databaseId, publish } = await make()
    await publish(4, HASH)
    const names = ['a', 'b', 'c']
    const both = names.flatMap((name) => [record(databaseId, name), record(databaseId, name, { service: 'payments' })])
    await store.write({ agents: agents(...both), receipts: [], heard: [] })
    const after = { service: 'orders', instance: 'b' }
    const places = async (filter: Parameters<AgentStore['page']>[1]) =>
      (await store.page('prod', filter))?.map((row) => `${row.record.service}/${row.record.instance}`)
    expect(await places({ after, limit: 2 })).toEqual(['orders/c', 'payments/a'])
    expect(await places({ ...everything, service: 'payments' })).toEqual(['payments/a', 'payments/b', 'payments/c'])
    expect(await places({ ...everything, search: 'c' })).toEqual(['orders/c', 'payments/c'])
    const rows = await store.page('prod', everything)
    expect(rows?.map((row) => row.intended)).toEqual([
      ...names.map(() => ({ databaseId, revision: 4, hash: HASH })),
      ...names.map(() => null),
    ])
  })
}

const keepsReceipts = (make: () => Promise<StoreUnderTest>): void => {
  test('receipts come newest first, in pages', async () => {
    const { store, databaseId } = await make()
    const written = [1, 2, 3].map((revision) => receipt(databaseId, revision))
    await store.write({ agents: [], receipts: written, heard: [] })
    const first = await store.receipts(ORDERS, { before: null, limit: 2 })
    expect(first?.map(({ id, ...rest }) => rest)).toEqual([written[2], written[1]])
    const rest = await store.receipts(ORDERS, { before: first?.[1]?.id ?? null, limit: 2 })
    expect(rest?.map((row) => row.revision)).toEqual([1])
  })

  test('an outsider’s words cannot spoil a batch: NUL, half a character, other databases, numbers past the column', async () => {
    const { store, databaseId } = await make()
    const odd = record('not a uuid', 'odd', { host: 'b\u0000x\udc00', pid: Number.MAX_SAFE_INTEGER, receipt: null })
    const good = record(databaseId, 'good')
    const receipts = [
      receipt('not a uuid', 1),
      receipt(databaseId, Number.MAX_SAFE_INTEGER),
      receipt(databaseId, 2, { refused: [{ path: 'p\u0000', message: '\u0000\ud800' }] }),
    ]
    await store.write({ agents: agents(odd, good), receipts, heard: [] })
    const members = (await store.room(ORDERS))?.members ?? []
    expect(members.map((member) => member.instance).sort()).toEqual(['good', 'odd'])
    expect(members.find((member) => member.instance === 'odd')?.applied?.databaseId).toBe('not a uuid')
    expect((await store.receipts(ORDERS, { before: null, limit: 9 }))?.map((row) => row.revision)).toContain(2)
  })

  test('pruning drops who is long gone, old receipts, and all but the newest', async () => {
    const { store, databaseId } = await make()
    const day = 86_400_000
    const gone = [record(databaseId, 'ended', { endedAtMs: START }), record(databaseId, 'silent')]
    const here = record(databaseId, 'here', { lastHeardAtMs: START + day })
    const receipts = [1, 2, 3, 4].map((revision) => receipt(databaseId, revision, { atMs: START + revision * day }))
    await store.write({ agents: agents(...gone, here), receipts, heard: [] })
    const endedBefore = new Date(START + 1_000)
    await store.prune({ endedBefore, receiptsBefore: new Date(START + 1.5 * day), receiptsKept: 2 })
    expect((await store.page('prod', everything))?.map((row) => row.record.instance)).toEqual(['here'])
    const left = await store.receipts(ORDERS, { before: null, limit: 9 })
    expect(left?.map((row) => row.revision)).toEqual([4, 3])
  })
}

const servesReplicas = (make: () => Promise<StoreUnderTest>): void => {
  const write = (store: AgentStore, one: AgentRecord, connected: boolean) =>
    store.write({ agents: [{ record: one, connected }], receipts: [], heard: [] })
  const serviceOf = async (store: AgentStore) => (await store.room(ORDERS))?.serviceId ?? ''
  const row = async (store: AgentStore) => (await store.page('prod', everything))?.[0]

  test('what was written since is read by every replica, each knowing its own', async () => {
    const { store, other, databaseId } = await make()
    const serviceId = await serviceOf(store)
    const { until } = await store.changes([serviceId], null)
    await write(store, record(databaseId, 'here'), true)
    await write(other, record(databaseId, 'ended', { endedAtMs: START + 5 }), false)
    const seen = (await store.changes([serviceId], until)).agents
    expect(seen.map((one) => [one.record.instance, one.own, one.connected, one.serviceId]).sort()).toEqual([
      ['ended', false, false, serviceId],
      ['here', true, true, serviceId],
    ])
    expect(seen.find((one) => one.own)?.record).toEqual(record(databaseId, 'here'))
    expect(
      (await other.changes([serviceId], until)).agents.map((one) => [one.record.instance, one.own]),
    ).toContainEqual(['here', false])
    expect((await store.changes([], until)).agents).toEqual([])
    await store.write({
      agents: [],
      receipts: [],
      heard: [record(databaseId, 'here', { lastHeardAtMs: START + 9_000 })],
    })
    const heard = (await other.changes([serviceId], until)).agents.find((one) => one.record.instance === 'here')
    expect(heard?.record.lastHeardAtMs).toBe(START + 9_000)
  })

  test('an agent that went to another replica is neither gone nor new by what its former one writes later', async () => {
    const { store, other, databaseId } = await make()
    await write(store, record(databaseId, 'a'), true)
    const later = { joinedAtMs: START + 4_000, lastHeardAtMs: START + 4_000 }
    await write(other, record(databaseId, 'a', later), true)
    await write(store, record(databaseId, 'a', { lastHeardAtMs: START + 3_000 }), false)
    await write(store, record(databaseId, 'a', { lastHeardAtMs: START + 3_000, endedAtMs: START + 3_000 }), false)
    expect(await row(store)).toMatchObject({
      connected: true,
      record: { endedAtMs: null, joinedAtMs: START, lastHeardAtMs: START + 4_000 },
    })
  })

  test('one that a replica left behind is ended by whoever finds it dead, and begins anew when it comes again', async () => {
    const { store, other, databaseId } = await make()
    await write(other, record(databaseId, 'a'), true)
    await write(store, record(databaseId, 'a', { endedAtMs: START + 700_000 }), false)
    expect(await row(store)).toMatchObject({ connected: false, record: { endedAtMs: START + 700_000 } })
    await write(store, record(databaseId, 'a', { joinedAtMs: START + 800_000 }), true)
    expect(await row(store)).toMatchObject({
      connected: true,
      record: { endedAtMs: null, joinedAtMs: START + 800_000 },
    })
  })
}
