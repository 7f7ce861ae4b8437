import { AGENT_PATHS, type Hello, SUBPROTOCOL } from '@weir/wire'
import type { TestApp } from '../testing/harness.ts'
import { helloOf, SocketClient } from './socket-client.testkit.ts'

export const BASE = '/api/v1/environments/prod'

/** An environment with a service, its key, and agents that connect with it. */
export class TestFleet {
  private constructor(
    readonly weir: TestApp,
    readonly key: { readonly id: string; readonly secret: string },
  ) {}

  static async over(weir: TestApp): Promise<TestFleet> {
    await weir.call('POST', '/api/v1/environments', { body: { name: 'prod' } })
    await weir.call('POST', `${BASE}/services`, { body: { name: 'orders' } })
    return new TestFleet(weir, await TestFleet.newKey(weir))
  }

  static async newKey(weir: TestApp, kind = 'agent'): Promise<{ id: string; secret: string }> {
    const answer = await weir.call('POST', `${BASE}/keys`, { body: { name: 'fleet', services: ['orders'], kind } })
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }

  /** The same fleet over a control plane that was started anew. */
  behind(weir: TestApp): TestFleet {
    return new TestFleet(weir, this.key)
  }

  knock(secret: string | null, path: string = AGENT_PATHS.socket, protocol: string = SUBPROTOCOL) {
    const headers: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` }
    return SocketClient.open(`${this.weir.url}${path}`, protocol, headers)
  }

  async open(secret = this.key.secret): Promise<SocketClient> {
    const client = await this.knock(secret)
    if (typeof client === 'number') throw new Error(`answered ${client}`)
    return client
  }

  async agent(instance: string, rest: Partial<Hello> = {}): Promise<SocketClient> {
    const client = await this.open()
    client.say(helloOf(instance, rest))
    await client.until((message) => message.type === 'lease')
    return client
  }

  /** With `more` gates beside, a policy becomes large. */
  async publish(limit: number, more = 0): Promise<number> {
    const path = `${BASE}/services/orders/policy`
    const etag = (await this.weir.call('GET', path)).headers.get('etag') ?? ''
    const others = Array.from({ length: more }, (_, i) => `  gate-${i}: { concurrency: 10 }\n`).join('')
    const document = `gates:\n${others}  checkout:\n    concurrency: { floor: 1, initial: ${limit}, ceiling: ${limit} }\n`
    const body = { document, reason: `limit ${limit}` }
    const answer = await this.weir.call('POST', `${path}/publish`, { headers: { 'if-match': etag }, body })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body.revision
  }

  /** Sets a tenant's quota of a resource, whatever it was. */
  async quota(resource: string, tenant: string, quota: object): Promise<void> {
    const { path, etag } = await this.#quotaAt(resource, tenant)
    const headers = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }
    const answer = await this.weir.call('PUT', path, { headers, body: { quota, reason: 'test' } })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  }

  async noQuota(resource: string, tenant: string): Promise<void> {
    const { path, etag } = await this.#quotaAt(resource, tenant)
    const answer = await this.weir.call('DELETE', path, { headers: { 'if-match': etag ?? '' } })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  }

  async #quotaAt(resource: string, tenant: string): Promise<{ path: string; etag: string | null }> {
    const path = `${BASE}/services/orders/quotas/${resource}/${encodeURIComponent(tenant)}`
    return { path, etag: (await this.weir.call('GET', path)).headers.get('etag') }
  }

  poll(headers: Record<string, string> = {}, secret = this.key.secret): Promise<Response> {
    return fetch(`${this.weir.url}${AGENT_PATHS.policy}`, {
      headers: { authorization: `Bearer ${secret}`, ...headers },
    })
  }
}
