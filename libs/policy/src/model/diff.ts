import { BUILT_IN_POLICY, DEFAULT_TENANTS } from './defaults.ts'
import type { Policy, Quota, Quotas, TenantsPolicy } from './policy.ts'
import { CRITICALITIES, type LeaseExpiry } from './vocabulary.ts'

/** One difference in words. `tightens`: true = admits less, false = admits more, null = neither or unknown. */
export interface Change {
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly sentence: string
  readonly tightens: boolean | null
}

type Tree = Readonly<Record<string, unknown>>

/** What an operator calls a setting, and whether a larger number admits more (`up`), less (`down`) or neither. */
const SETTINGS: Readonly<Record<string, readonly [name: string, unit: string, larger: 'more' | 'less' | 'neither']>> = {
  mode: ['mode', '', 'neither'],
  resource: ['quota resource', '', 'neither'],
  edge: ['edge mark', '', 'neither'],
  'concurrency.algorithm': ['limit algorithm', '', 'neither'],
  'concurrency.floor': ['lowest limit', ' slots', 'more'],
  'concurrency.initial': ['limit', ' slots', 'more'],
  'concurrency.ceiling': ['highest limit', ' slots', 'more'],
  'queue.maxWaitMs': ['longest wait in the queue', ' ms', 'more'],
  'queue.maxItems': ['longest queue', ' waiting', 'more'],
  'queue.initialRatePerSecond': ['first guess of the drain rate', '/s', 'neither'],
  'queue.order': ['queue order', '', 'neither'],
  'deadline.defaultMs': ['default deadline', ' ms', 'neither'],
  'deadline.minMs': ['shortest deadline', ' ms', 'neither'],
  'deadline.maxMs': ['longest deadline', ' ms', 'neither'],
  'classes.default': ['default class', '', 'neither'],
  'classes.highest': ['highest class that callers may claim', '', 'neither'],
  'classes.strict': ['strict reserves', '', 'neither'],
  'classes.topShareCap': ['cap of the top class', '', 'more'],
  'degrade.level': ['overload level from which work is done cheaper', '', 'neither'],
  'degrade.usage': ['share of slots from which work is done cheaper', '', 'neither'],
  'consumer.maxAgeMs': ['oldest message that is worked on', ' ms', 'more'],
  maxHoldMs: ['longest hold of a slot', ' ms', 'neither'],
  zombieMaxMs: ['longest life of a zombie', ' ms', 'neither'],
  'retryAfter.minMs': ['shortest Retry-After', ' ms', 'neither'],
  'retryAfter.maxMs': ['longest Retry-After', ' ms', 'neither'],
  ceiling: ['ceiling of calls in flight', ' calls', 'more'],
  timeoutMs: ['timeout', ' ms', 'neither'],
  internal: ['internal mark (context is sent along)', '', 'neither'],
  'breaker.mode': ['breaker mode', '', 'neither'],
  'breaker.windowMs': ['breaker window', ' ms', 'neither'],
  'breaker.minimumVolume': ['minimum volume of the breaker', ' calls', 'more'],
  'breaker.failureShare': ['failure share that opens the breaker', '', 'more'],
  'breaker.slowCallMs': ['time from which a call is slow', ' ms', 'more'],
  'breaker.slowShare': ['slow share that opens the breaker', '', 'more'],
  'breaker.openMs': ['time that the breaker stays open', ' ms', 'less'],
  'breaker.probes': ['probes of a half-open breaker', '', 'neither'],
  'breaker.probeLeaseMs': ['lease of a probe', ' ms', 'neither'],
  'retry.maxAttempts': ['attempts, the first included', '', 'more'],
  'retry.backoff': ['backoff', '', 'neither'],
  'retry.initialMs': ['first backoff', ' ms', 'neither'],
  'retry.factor': ['backoff factor', '', 'neither'],
  'retry.maxMs': ['longest backoff', ' ms', 'neither'],
  'retry.jitter': ['jitter', '', 'neither'],
  'retry.maxRetryAfterMs': ['longest Retry-After that is waited for', ' ms', 'neither'],
  'budget.kind': ['kind of retry budget', '', 'neither'],
  'budget.maxTokens': ['tokens of the retry budget', '', 'more'],
  'budget.ratio': ['tokens that a success gives back', '', 'more'],
  'budget.share': ['share of calls that may be retries', '', 'more'],
  'budget.floorPerSecond': ['retries that are always allowed', '/s', 'more'],
  'budget.windowMs': ['window of the retry budget', ' ms', 'neither'],
  'throttle.k': ['factor of the throttle', '', 'more'],
  'throttle.minimumVolume': ['minimum volume of the throttle', ' attempts', 'more'],
  'throttle.cap': ['share that the throttle refuses at most', '', 'less'],
  'outlier.windowMs': ['window over which replicas are compared', ' ms', 'neither'],
  'outlier.minimumVolume': ['attempts that are needed to judge a replica', '', 'neither'],
  'outlier.failureShare': ['share of bad attempts from which a replica is avoided', '', 'neither'],
  'outlier.slowFactor': ['factor from which a replica is slow', '', 'neither'],
  'outlier.ejectMs': ['time that a replica is avoided', ' ms', 'neither'],
  'outlier.maxEjectedShare': ['share of replicas that are avoided at most', '', 'neither'],
  'hedge.afterMs': ['time after which a hedge is sent', ' ms', 'neither'],
  'lagSeconds.open': ['lag from which quotas shrink', ' s', 'more'],
  'lagSeconds.close': ['lag from which quotas grow back', ' s', 'more'],
  stepSeconds: ['time between two steps', ' s', 'neither'],
  cut: ['share that a step down leaves', '', 'more'],
  rise: ['share that a step up gives back', '', 'more'],
  least: ['least share that is left', '', 'more'],
  recoverSeconds: ['time in which a lag that falls may go on falling', ' s', 'more'],
  rate: ['rate', '/s', 'more'],
  burst: ['burst', ' units', 'more'],
  concurrency: ['concurrency', ' slots', 'more'],
  weight: ['weight', '', 'neither'],
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Leaves of a tree by dotted path. */
const leaves = (tree: Tree, prefix = ''): Map<string, unknown> => {
  const found = new Map<string, unknown>()
  for (const [key, value] of Object.entries(tree)) {
    const path = prefix === '' ? key : `${prefix}.${key}`
    if (isTree(value)) for (const [inner, leaf] of leaves(value, path)) found.set(inner, leaf)
    else found.set(path, value)
  }
  return found
}

const ABSENT: Readonly<Record<string, string>> = {
  rate: 'not limited',
  concurrency: 'not limited',
  burst: "one second's worth",
}

const shown = (path: string, value: unknown, unit: string): string => {
  if (value === null || value === undefined) return ABSENT[path] ?? 'not set'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return `${String(value)}${typeof value === 'number' ? unit : ''}`
}

/** Only for numbers, where `null` is "not limited". */
const tightening = (before: unknown, after: unknown, larger: 'more' | 'less' | 'neither'): boolean | null => {
  if (larger === 'neither') return null
  const size = (value: unknown): number | null =>
    value === null || value === undefined ? Number.POSITIVE_INFINITY : typeof value === 'number' ? value : null
  const [was, is] = [size(before), size(after)]
  if (was === null || is === null || was === is) return null
  return larger === 'more' ? is < was : is > was
}

const MODE_STRENGTH: Readonly<Record<string, number>> = { off: 0, observe: 0, enforce: 1 }

const changed = (subject: string, at: string, path: string, before: unknown, after: unknown): Change => {
  const reserve = /^classes\.reserves\.(.+)$/.exec(path)?.[1]
  const signal = /^signals\.(.+)$/.exec(path)?.[1]
  const [name, unit, larger] = SETTINGS[path] ?? [
    reserve ? `reserve of ${reserve}` : signal ? `threshold of ${signal}` : path,
    '',
    'neither' as const,
  ]
  const tightens =
    path === 'mode' && MODE_STRENGTH[String(before)] !== MODE_STRENGTH[String(after)]
      ? MODE_STRENGTH[String(after)] === 1
      : tightening(before, after, larger)
  return {
    path: `${at}.${path}`,
    kind: 'changed',
    sentence: `${subject}: the ${name} goes from ${shown(path, before, unit)} to ${shown(path, after, unit)}.`,
    tightens,
  }
}

const compare = (subject: string, at: string, before: Tree, after: Tree): Change[] => {
  const [was, is] = [leaves(before), leaves(after)]
  const paths = [...new Set([...was.keys(), ...is.keys()])]
  return paths
    .filter((path) => was.get(path) !== is.get(path))
    .map((path) => changed(subject, at, path, was.get(path), is.get(path)))
}

const compareItems = <T extends object>(
  what: string,
  at: string,
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  describe: (item: T) => string,
): Change[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name): Change[] => {
    const [was, is] = [own(before, name), own(after, name)]
    const subject = `${what} "${name}"`
    const path = `${at}.${name}`
    if (was && is) return compare(subject, path, was as unknown as Tree, is as unknown as Tree)
    if (is) return [{ path, kind: 'added', sentence: `${subject} is new: ${describe(is)}.`, tightens: true }]
    if (was)
      return [{ path, kind: 'removed', sentence: `${subject} is removed: it was ${describe(was)}.`, tightens: false }]
    return []
  })

const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

const quotaWords = (quota: Quota): string => {
  const rate = quota.rate === null ? 'rate not limited' : `${quota.rate}/s`
  const concurrency = quota.concurrency === null ? 'concurrency not limited' : `${quota.concurrency} at once`
  return `${rate}, ${concurrency}, weight ${quota.weight}`
}

/** The floor and the ceiling of a fixed limit say nothing that its limit does not. */
const redundant = (before: Policy, after: Policy) => {
  const adapts = (policy: Policy, gate: string): boolean => own(policy.gates, gate)?.concurrency.algorithm !== 'fixed'
  return (change: Change): boolean => {
    const gate = /^gates\.(.+)\.concurrency\.(?:floor|ceiling)$/.exec(change.path)?.[1]
    return gate === undefined || adapts(before, gate) || adapts(after, gate)
  }
}

/** How little of a lease is used once it has ended. */
const STRICTNESS: Readonly<Record<LeaseExpiry, number>> = { hold: 0, safe: 1, deny: 2 }

const expiryWords = ({ expiry, holdSeconds }: TenantsPolicy): string =>
  expiry === 'deny'
    ? 'nothing of a quota whose lease has ended'
    : expiry === 'safe'
      ? 'its safe capacity of a quota whose lease has ended'
      : `a quota for ${holdSeconds} s after its lease has ended: up to twice the quota may pass meanwhile`

/** A policy that was stored before there were leases does not say. */
const expiryChange = (was: TenantsPolicy, after: TenantsPolicy): Change[] => {
  const before = { ...DEFAULT_TENANTS, ...was }
  if (expiryWords(before) === expiryWords(after)) return []
  const same = before.expiry === after.expiry
  const tightens = same ? after.holdSeconds < before.holdSeconds : STRICTNESS[after.expiry] > STRICTNESS[before.expiry]
  const sentence = `An agent that is not answered uses ${expiryWords(after)} (before: ${expiryWords(before)}).`
  return [{ path: 'tenants.expiry', kind: 'changed', sentence, tightens }]
}

/** What publishing `after` changes, in words; `before` is null for a first publish. Order: gates, dependencies, tenants, feedback, by name. */
export const diffPolicies = (before: Policy | null, after: Policy): Change[] => {
  const was = before ?? BUILT_IN_POLICY
  return [
    ...compareItems('Gate', 'gates', was.gates, after.gates, (gate) => {
      const reserved = CRITICALITIES.filter((name) => gate.classes.reserves[name] > 0)
      return `${gate.mode}, ${gate.concurrency.algorithm} limit of ${gate.concurrency.initial} slots, waits up to ${gate.queue.maxWaitMs} ms${reserved.length > 0 ? `, reserves for ${reserved.join(', ')}` : ''}`
    }).filter(redundant(was, after)),
    ...compareItems(
      'Dependency',
      'dependencies',
      was.dependencies,
      after.dependencies,
      (dependency) =>
        `${dependency.mode}, at most ${dependency.ceiling} calls in flight, timeout ${dependency.timeoutMs} ms, ${dependency.retry.maxAttempts} attempts`,
    ),
    ...(was.tenants.unknown === after.tenants.unknown
      ? []
      : [
          {
            path: 'tenants.unknown',
            kind: 'changed' as const,
            sentence:
              after.tenants.unknown === 'refuse'
                ? 'Tenants without a quota of their own are refused from now on.'
                : 'Tenants without a quota of their own are let in from now on.',
            tightens: after.tenants.unknown === 'refuse',
          },
        ]),
    ...expiryChange(was.tenants, after.tenants),
    ...compare(
      'Tenants without a quota of their own',
      'tenants.default',
      was.tenants.default as unknown as Tree,
      after.tenants.default as unknown as Tree,
    ),
    ...compareItems(
      'Feedback of topic',
      'feedback',
      was.feedback,
      after.feedback,
      ({ resource, lagSeconds, least }) =>
        `quotas of "${resource}" shrink from a lag of ${lagSeconds.open} s on, down to ${least} of themselves, and grow back from ${lagSeconds.close} s`,
    ),
  ]
}

/** The same for quotas, by resource, then tenant. */
export const diffQuotas = (before: Quotas, after: Quotas): Change[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .flatMap((resource) =>
      compareItems(
        `Quota of "${resource}" for tenant`,
        `quotas.${resource}`,
        own(before, resource) ?? {},
        own(after, resource) ?? {},
        quotaWords,
      ),
    )
