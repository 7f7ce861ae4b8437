import type { Environment, Page, PolicyState, ProblemDocument, QuotaRow, Traffic } from '@weir/api'
import type { Quotas } from '@weir/policy/model'
import { checkTraffic } from '../traffic/read.ts'
import { badInput, Trouble } from './trouble.ts'

const WITHIN_MS = 30_000
/** As many quotas as a service may have. */
const MOST_PAGES = 10

export interface Access {
  readonly url: string
  readonly token: string | null
}

export interface OfService {
  readonly traffic: Traffic
  readonly quotas: Quotas
  /** The document in force; `null` before the first. */
  readonly document: string | null
}

/** What a control plane knows of a service. @throws {Trouble} where it cannot be had, in one sentence. */
export const askControlPlane = async (
  access: Access,
  service: string,
  environment: string | null,
  seconds: number,
): Promise<OfService> => {
  const within = environment ?? (await onlyEnvironment(access))
  const path = `environments/${within}/services/${service}`
  const [recorded, policy, quotas] = await Promise.all([
    get<unknown>(access, `${path}/traffic?seconds=${seconds}`),
    get<PolicyState>(access, `${path}/policy`),
    quotasOf(access, path),
  ])
  const read = checkTraffic(recorded)
  if (!read.ok) throw badInput(`The traffic that ${access.url} has`, read.problems)
  return { traffic: read.traffic, quotas, document: policy.published?.document ?? null }
}

const onlyEnvironment = async (access: Access): Promise<string> => {
  const { items } = await get<Page<Environment>>(access, 'environments')
  const [only, ...others] = items
  if (only === undefined) throw new Trouble(`${access.url} has no environment yet.`)
  if (others.length > 0)
    throw new Trouble(
      `There are several environments: give --environment ${items.map(({ name }) => name).join('|')}.`,
      2,
    )
  return only.name
}

const quotasOf = async (access: Access, path: string): Promise<Quotas> => {
  const quotas: Record<string, Record<string, QuotaRow>> = Object.create(null)
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer: Page<QuotaRow> = await get(access, `${path}/quotas?limit=1000${query}`)
    for (const row of answer.items) {
      quotas[row.resource] ??= Object.create(null) as Record<string, QuotaRow>
      Object.assign(quotas[row.resource] as object, { [row.tenant]: row })
    }
    cursor = answer.next
    if (cursor === null) break
  }
  return quotas
}

const get = async <T>({ url, token }: Access, path: string): Promise<T> => {
  let response: Response
  try {
    response = await fetch(new URL(`/api/v1/${path}`, url), {
      headers: { accept: 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      signal: AbortSignal.timeout(WITHIN_MS),
    })
  } catch (error) {
    const why = error instanceof Error ? (error.cause ?? error) : error
    throw new Trouble(`No answer from ${url}: ${why instanceof Error ? why.message : String(why)}.`)
  }
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) return body as T
  if (response.status === 401) throw new Trouble(`${url} wants an API token: give one of it in WEIR_TOKEN.`)
  const problem = body as Partial<ProblemDocument> | null
  throw new Trouble(`${url} says: ${problem?.detail ?? problem?.title ?? `status ${response.status}`}`)
}
