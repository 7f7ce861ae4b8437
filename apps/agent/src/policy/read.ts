import { dependencySchema, gateSchema, nameSchema, policySchema, quotaSchema, tenantSchema } from '@weir/policy/items'
import {
  type DependencyPolicy,
  type EffectivePolicy,
  type GatePolicy,
  LIMITS,
  type Problem,
  type Quota,
  type TenantsPolicy,
} from '@weir/policy/model'
import type { RawEffective } from './standing.ts'
import { type ItemSchema, parseLeniently } from './strip.ts'

export interface Reading {
  readonly effective: EffectivePolicy
  /** Items that stay as they were, and settings that this agent ignores or replaces. Empty: everything applied. */
  readonly refused: readonly Problem[]
  /** Whether anything of it applied. */
  readonly usable: boolean
}

/** `feedback` is the control plane's: what follows from it arrives with the lease. */
const KNOWN_KEYS = new Set(['version', 'gates', 'dependencies', 'tenants', 'feedback'])
const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.')
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Collections that a tenant named `constructor` cannot look through. */
const bare = <T>(): Record<string, T> => Object.create(null) as Record<string, T>

/** What of a valid gate policy this agent cannot do, with paths from the gate; it says what stands in its place. */
export type Unsupported = (gate: GatePolicy) => readonly Problem[]

type Refuse = (path: readonly PropertyKey[], message: string) => void

/** Reads one item; `null`: refused, and said. */
const readItem = <T>(schema: ItemSchema<T>, raw: unknown, path: readonly PropertyKey[], refuse: Refuse): T | null => {
  const parsed = parseLeniently(schema, raw)
  if (!parsed.ok) {
    for (const issue of parsed.issues) refuse([...path, ...issue.path], issue.message)
    return null
  }
  for (const key of parsed.ignored) refuse([...path, ...key], 'This agent does not know this setting and ignores it.')
  return parsed.value
}

/** Reads a record of items; a refused one stays as `before` has it. At most `limit`. */
const readItems = <T>(
  raw: unknown,
  before: Readonly<Record<string, T>>,
  limit: number,
  at: readonly PropertyKey[],
  nameIsGood: (name: string) => boolean,
  read: (value: unknown, path: readonly PropertyKey[], name: string) => T | null,
  refuse: Refuse,
): Record<string, T> => {
  const items = bare<T>()
  if (raw === undefined) return items
  if (!isRecord(raw)) {
    refuse(at, 'This is not a group of named settings.')
    return Object.assign(items, before)
  }
  const entries = Object.entries(raw)
  if (entries.length > limit) refuse(at, `There are ${entries.length}; the first ${limit} are used.`)
  for (const [name, value] of entries.slice(0, limit)) {
    const path = [...at, name]
    if (!nameIsGood(name)) {
      refuse(path, 'This name is not allowed.')
      continue
    }
    const item = read(value, path, name) ?? (Object.hasOwn(before, name) ? before[name] : undefined)
    if (item !== undefined) items[name] = item
  }
  return items
}

const goodName = (name: string): boolean => nameSchema.safeParse(name).success
const goodTenant = (name: string): boolean => tenantSchema.safeParse(name).data === name

/** True for a complete quota within bounds: most of 10,000 are, and the full validator costs twenty times as much. */
const isPlainQuota = (value: unknown): value is Quota => {
  if (!isRecord(value) || Object.keys(value).length !== 4) return false
  const { rate, burst, concurrency, weight } = value
  const amount = (n: unknown) => n === null || (typeof n === 'number' && n >= 0 && n <= LIMITS.rate)
  return (
    amount(rate) &&
    amount(burst) &&
    (burst === null || rate !== null) &&
    (concurrency === null ||
      (Number.isInteger(concurrency) && Number(concurrency) >= 0 && Number(concurrency) <= LIMITS.slots)) &&
    typeof weight === 'number' &&
    weight > 0 &&
    weight <= 1_000
  )
}

/**
 * Reads a pushed policy item by item: one gate, one dependency, one tenant quota. What is valid applies, what is not stays as `before` has it and
 * is listed with its path. Never throws.
 */
export const readEffective = (raw: RawEffective, before: EffectivePolicy, unsupported: Unsupported): Reading => {
  const refused: Problem[] = []
  const refuse: Refuse = (path, message) => {
    refused.push({ path: dotted(path), message })
  }
  const document = raw.policy
  const unusable = (path: string, message: string): Reading => ({
    effective: before,
    refused: [{ path, message }],
    usable: false,
  })
  if (!isRecord(document)) return unusable('policy', 'The policy is not a group of settings.')
  if (document.version !== undefined && document.version !== 1)
    return unusable(
      'policy.version',
      `This agent reads version 1, not ${JSON.stringify(document.version)?.slice(0, 40)}.`,
    )
  for (const key of Object.keys(document))
    if (!KNOWN_KEYS.has(key)) refuse(['policy', key], 'This agent does not know this setting and ignores it.')

  const gates = readItems<GatePolicy>(
    document.gates,
    before.policy.gates,
    LIMITS.items,
    ['policy', 'gates'],
    goodName,
    (value, path, name) => {
      const gate = readItem(gateSchema, value, path, refuse)
      if (gate === null) return null
      const complete: GatePolicy = { ...gate, resource: gate.resource ?? name }
      for (const { path: at, message } of unsupported(complete)) refuse([...path, at], message)
      return complete
    },
    refuse,
  )
  const dependencies = readItems<DependencyPolicy>(
    document.dependencies,
    before.policy.dependencies,
    LIMITS.items,
    ['policy', 'dependencies'],
    goodName,
    (value, path) => readItem(dependencySchema, value, path, refuse),
    refuse,
  )
  const tenants =
    readItem<TenantsPolicy>(policySchema.in.shape.tenants, document.tenants, ['policy', 'tenants'], refuse) ??
    before.policy.tenants
  return {
    effective: {
      policy: { version: 1, gates, dependencies, tenants, feedback: {} },
      quotas: readQuotas(raw, before, refuse),
    },
    refused,
    usable: true,
  }
}

const readQuotas = (raw: RawEffective, before: EffectivePolicy, refuse: Refuse): EffectivePolicy['quotas'] => {
  let left: number = LIMITS.quotas
  return readItems<Readonly<Record<string, Quota>>>(
    raw.quotas,
    before.quotas,
    LIMITS.items,
    ['quotas'],
    goodName,
    (value, path, resource) => {
      const tenants = readItems<Quota>(
        value,
        (Object.hasOwn(before.quotas, resource) ? before.quotas[resource] : undefined) ?? {},
        left,
        path,
        goodTenant,
        (quota, at) => (isPlainQuota(quota) ? quota : readItem(quotaSchema, quota, at, refuse)),
        refuse,
      )
      left = Math.max(0, left - Object.keys(tenants).length)
      return tenants
    },
    refuse,
  )
}
