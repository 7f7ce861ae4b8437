import type { Agent, Outcomes, Page, PolicyState, ProblemDocument, Published, QuotaRow } from '@weir/api'

/** The little of the REST interface that the demo needs, over an API token. */
export class Rest {
  readonly #base: string
  readonly #token: string

  constructor(origin: string, token: string) {
    this.#base = `${origin}/api/v1`
    this.#token = token
  }

  /** A refused request is an error that carries the problem document's words. `allow` lists statuses that are an answer, too. */
  async call<T>(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string>; allow?: number[] } = {},
  ): Promise<{ status: number; body: T; etag: string | null }> {
    const response = await fetch(this.#base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      signal: AbortSignal.timeout(10_000),
    })
    const text = await response.text()
    const body = (text === '' ? null : JSON.parse(text)) as T
    if (!response.ok && !options.allow?.includes(response.status)) {
      const problem = body as ProblemDocument | null
      const errors = (problem?.errors ?? []).map((error) => `\n  ${error.path}: ${error.message}`).join('')
      throw new Error(
        `${method} ${path} answered ${response.status} ${problem?.title ?? ''} ${problem?.detail ?? ''}${errors}`,
      )
    }
    return { status: response.status, body, etag: response.headers.get('etag') }
  }

  async agents(environment: string): Promise<Agent[]> {
    return (await this.call<Page<Agent>>('GET', `/environments/${environment}/agents`)).body.items
  }

  /** `meanwhile` runs while the request is under way. */
  async publish(
    environment: string,
    service: string,
    document: string,
    reason: string,
    meanwhile?: () => Promise<void>,
  ): Promise<Published> {
    const at = `/environments/${environment}/services/${service}/policy`
    const { etag } = await this.call<PolicyState>('GET', at)
    const answer = this.call<Published>('POST', `${at}/publish`, {
      headers: { 'if-match': etag ?? '' },
      body: { document, format: 'yaml', reason },
    })
    const [{ body }] = await Promise.all([answer, meanwhile?.()])
    return body
  }

  async putQuota(
    environment: string,
    service: string,
    quota: { resource: string; tenant: string; ratePerSecond: number },
    reason: string,
  ): Promise<Published> {
    const at = `/environments/${environment}/services/${service}/quotas/${quota.resource}/${quota.tenant}`
    const present = await this.call<QuotaRow>('GET', at, { allow: [404] })
    const headers: Record<string, string> =
      present.status === 404 ? { 'if-none-match': '*' } : { 'if-match': present.etag ?? '' }
    const body = { quota: { rate: quota.ratePerSecond }, reason }
    return (await this.call<Published>('PUT', at, { headers, body })).body
  }

  /** Totals of one service's gate over a range. */
  async totals(environment: string, service: string, from: Date, to: Date): Promise<Outcomes['totals']> {
    const query = new URLSearchParams({ service, from: from.toISOString(), to: to.toISOString() })
    return (await this.call<Outcomes>('GET', `/environments/${environment}/outcomes?${query}`)).body.totals
  }
}
