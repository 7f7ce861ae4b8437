import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { EffectivePolicies } from '../features/policies/effective-policies.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'

let weir: TestApp
let base = ''
let made = 0

beforeAll(async () => {
  weir = await startTestApp()
  await weir.call('POST', '/api/v1/environments', { body: { name: 'prod' } })
})
afterAll(() => weir.close())
beforeEach(async () => {
  const name = `orders-${made++}`
  expect((await weir.call('POST', '/api/v1/environments/prod/services', { body: { name } })).status).toBe(201)
  base = `/api/v1/environments/prod/services/${name}`
})

const document = (limit: number) =>
  `gates:\n  checkout:\n    concurrency: { floor: 1, initial: ${limit}, ceiling: ${limit} }\n`
const publish = (limit: number, tag: string, as = 'editor') =>
  weir.call('POST', `${base}/policy/publish`, {
    as,
    headers: { 'if-match': tag },
    body: { document: document(limit), reason: `limit ${limit}` },
  })

test('a service begins without a policy, at revision 0', async () => {
  const policy = await weir.call('GET', `${base}/policy`)
  expect(policy.body).toEqual({ version: 0, published: null })
  expect(policy.headers.get('etag')).toBe('"policy-0"')
  expect((await weir.call('GET', base)).body).toMatchObject({ revision: 0, hash: null, policyVersion: 0 })
})

test('a publish makes a version, a revision and a history', async () => {
  const first = await publish(10, '"policy-0"')
  expect(first.body).toMatchObject({ version: 1, revision: 1, changed: true })
  expect(first.headers.get('etag')).toBe('"policy-1"')
  expect((await publish(20, '"policy-1"', 'editor-ada')).body).toMatchObject({ version: 2, revision: 2 })
  const page = await weir.call('GET', `${base}/policy/versions?limit=1`)
  expect(page.body.items).toMatchObject([{ version: 2, author: 'ada', reason: 'limit 20', document: document(20) }])
  const rest = await weir.call('GET', `${base}/policy/versions?limit=1&cursor=${page.body.next}`)
  expect(rest.body).toMatchObject({ items: [{ version: 1 }], next: null })
})

test('publishing the same text again is a new version of the same revision', async () => {
  const first = await publish(10, '"policy-0"')
  const second = await publish(10, '"policy-1"')
  expect(second.body).toEqual({ ...first.body, version: 2, changed: false })
})

test('two who publish at once: one wins, the other gets 412, the present tag, and nothing is lost', async () => {
  const answers = await Promise.all([publish(11, '"policy-0"'), publish(12, '"policy-0"'), publish(13, '"policy-0"')])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412])
  const lost = answers.find(({ status }) => status === 412)
  expect(lost?.body).toMatchObject({ code: 'precondition-failed' })
  expect(lost?.headers.get('etag')).toBe('"policy-1"')
  expect((await weir.call('GET', `${base}/policy/versions`)).body.items).toHaveLength(1)
  expect((await weir.call('GET', base)).body).toMatchObject({ revision: 1, policyVersion: 1 })
})

test('ten publishers that read before they write lose nothing', async () => {
  const writer = async (n: number) => {
    for (;;) {
      const seen = await weir.call('GET', `${base}/policy`)
      const answer = await publish(n + 1, seen.headers.get('etag') ?? '')
      if (answer.status === 200) return answer.body.version as number
      expect(answer.status).toBe(412)
    }
  }
  const versions = await Promise.all(Array.from({ length: 10 }, (_, n) => writer(n)))
  expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1))
})

test('a write without If-Match is 428, with nonsense 400, with a weak tag 412', async () => {
  const body = { document: document(1), reason: 'r' }
  const send = (headers: Record<string, string>) => weir.call('POST', `${base}/policy/publish`, { body, headers })
  expect((await send({})).body).toMatchObject({ code: 'precondition-required', status: 428 })
  expect((await send({ 'if-match': 'policy-0' })).status).toBe(400)
  expect((await send({ 'if-match': 'W/"policy-0"' })).status).toBe(412)
  expect((await send({ 'if-match': '"policy-7", "policy-0"' })).status).toBe(200)
})

test('five mistakes are five problems with paths, in validation and in publishing', async () => {
  const wrong = [
    'gates:',
    '  checkout:',
    '    concurrency: { floor: 50, initial: 10, ceiling: 20 }',
    '    queue: { maxWaitMs: -5 }',
    '    colour: red',
    'dependencies:',
    '  payments:',
    '    ceiling: 0',
    'tenants: { unknown: maybe }',
  ].join('\n')
  const validation = await weir.call('POST', `${base}/policy/validate`, { body: { document: wrong }, as: 'viewer' })
  const paths = validation.body.problems.map((problem: { path: string }) => problem.path)
  expect(paths).toHaveLength(5)
  expect(paths.join(' ')).toMatch(/gates\.checkout.*dependencies\.payments\.ceiling.*tenants\.unknown/)
  const refused = await weir.call('POST', `${base}/policy/publish`, {
    headers: { 'if-match': '"policy-0"' },
    body: { document: wrong, reason: 'r' },
  })
  expect(refused.body).toMatchObject({ code: 'invalid', status: 400 })
  expect(refused.body.errors).toHaveLength(5)
  expect((await weir.call('GET', `${base}/policy`)).body.version).toBe(0)
})

test('a roll-back publishes the earlier document as a new version', async () => {
  const first = await publish(10, '"policy-0"')
  await publish(20, '"policy-1"')
  const back = await weir.call('POST', `${base}/policy/rollback`, {
    headers: { 'if-match': '"policy-2"' },
    body: { version: 1, reason: 'too many' },
  })
  expect(back.body).toMatchObject({ version: 3, revision: 3, hash: first.body.hash })
  const { published } = (await weir.call('GET', `${base}/policy`)).body
  expect(published).toMatchObject({ version: 3, rolledBackTo: 1, document: document(10), reason: 'too many' })
})

test('a diff says in words what a document would change', async () => {
  await publish(100, '"policy-0"')
  const diff = await weir.call('POST', `${base}/policy/diff`, { body: { document: document(20) } })
  expect(diff.body).toMatchObject({ against: 1, unsupportedBy: 0 })
  expect(diff.body.changes.length).toBeGreaterThan(0)
  expect(diff.body.changes[0]).toMatchObject({ kind: 'changed', tightens: true })
})

test('the draft is shared, has its own tag, and is dropped with it', async () => {
  const put = (headers: Record<string, string>, text: string) =>
    weir.call('PUT', `${base}/policy/draft`, { headers, body: { document: text, basedOn: 0 } })
  expect((await weir.call('GET', `${base}/policy/draft`)).status).toBe(404)
  const first = await put({ 'if-none-match': '*' }, 'gates: {')
  expect(first.body).toMatchObject({ document: 'gates: {', format: 'yaml', basedOn: 0 })
  expect((await put({ 'if-none-match': '*' }, 'other')).status).toBe(412)
  const tag = first.headers.get('etag') ?? ''
  const second = await put({ 'if-match': tag }, 'gates: {}')
  expect((await put({ 'if-match': tag }, 'late')).status).toBe(412)
  expect((await weir.call('GET', `${base}/policy/draft`)).body.document).toBe('gates: {}')
  const drop = (etag: string) => weir.call('DELETE', `${base}/policy/draft`, { headers: { 'if-match': etag } })
  expect((await drop(tag)).status).toBe(412)
  expect((await drop(second.headers.get('etag') ?? '')).status).toBe(204)
})

test('a quota is a resource with a tag of its own, and each write is a revision', async () => {
  const url = `${base}/quotas/checkout/acme%20inc`
  const put = (headers: Record<string, string>, rate: number) =>
    weir.call('PUT', url, { headers, body: { quota: { rate, burst: 2 * rate }, reason: 'contract' } })
  expect((await weir.call('GET', url)).status).toBe(404)
  const first = await put({ 'if-none-match': '*' }, 5)
  expect(first.body).toMatchObject({ revision: 1, changed: true, version: 1 })
  expect((await put({ 'if-none-match': '*' }, 6)).status).toBe(412)
  expect((await put({ 'if-match': '"quota-1"' }, 5)).body).toMatchObject({ revision: 1, changed: false, version: 2 })
  expect((await weir.call('GET', `${base}/quotas?search=ACME`)).body.items).toMatchObject([
    { resource: 'checkout', tenant: 'acme inc', rate: 5, burst: 10, concurrency: null, weight: 1, version: 2 },
  ])
  expect((await weir.call('DELETE', url, { headers: { 'if-match': '"quota-1"' } })).status).toBe(412)
  const removed = await weir.call('DELETE', url, { headers: { 'if-match': '"quota-2"' } })
  expect(removed.body).toMatchObject({ revision: 2, changed: true, version: 3 })
  expect((await put({ 'if-none-match': '*' }, 7)).body.version).toBe(4)
})

test('what is published is what agents are given, and they hear of it', async () => {
  const effective = weir.app.get(EffectivePolicies, { strict: false })
  const { id } = await weir.database.prisma.service.findFirstOrThrow({ where: { name: base.split('/').at(-1) ?? '' } })
  expect(await effective.latest(id)).toBeNull()
  const heard = new Promise((resolve) => {
    const off = effective.onChange((change) => {
      if (change.serviceId !== id) return
      off()
      resolve(change.revision)
    })
  })
  const answer = await publish(42, '"policy-0"')
  expect(await heard).toBe(1)
  const snapshot = await effective.latest(id)
  expect(snapshot).toMatchObject({ revision: 1, hash: answer.body.hash, databaseId: weir.database.databaseId })
  expect(JSON.parse(snapshot?.effective ?? '').policy.gates.checkout.concurrency.ceiling).toBe(42)
})
