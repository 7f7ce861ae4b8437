import {
  ALGORITHMS,
  BACKOFFS,
  BREAKER_MODES,
  CRITICALITIES,
  DEFAULT_DEPENDENCY,
  DEFAULT_GATE,
  DEFAULT_OUTLIER,
  DEFAULT_TENANTS,
  JITTERS,
  LEASE_EXPIRIES,
  MODES,
  QUEUE_ORDERS,
  SIGNAL_KINDS,
  UNLIMITED,
} from '@weir/policy/model'

export type FieldKind = 'number' | 'switch' | 'choice' | 'text'

/** One setting of the form; its document path is relative to the item that it belongs to. */
export interface Field {
  readonly path: readonly string[]
  readonly label: string
  readonly kind: FieldKind
  readonly choices?: readonly string[]
  readonly unit?: string
  /** What holds when the document does not say. */
  readonly standard: string | number | boolean | null
  readonly help?: string
}

export interface FieldGroup {
  readonly title: string
  readonly fields: readonly Field[]
}

type Default = string | number | boolean | null

const field =
  (kind: FieldKind) =>
  (path: string, label: string, standard: Default, more: Partial<Field> = {}): Field => ({
    path: path.split('/'),
    label,
    kind,
    standard,
    ...more,
  })
const number = field('number')
const toggle = field('switch')
const text = field('text')
const choice = (path: string, label: string, choices: readonly string[], standard: string, help?: string): Field =>
  field('choice')(path, label, standard, help === undefined ? { choices } : { choices, help })
const ms = { unit: 'ms' }
const share = { unit: '0 to 1' }

const g = DEFAULT_GATE
const d = DEFAULT_DEPENDENCY
const o = DEFAULT_OUTLIER

const MODE_HELP = 'Enforce refuses, observe only counts what it would have refused, off does neither.'

export const GATE_GROUPS: readonly FieldGroup[] = [
  {
    title: 'Gate',
    fields: [
      choice('mode', 'Mode', MODES, g.mode, MODE_HELP),
      toggle('edge', 'Work enters the fleet here', g.edge, { help: 'Fleet totals sum only these gates.' }),
      text('resource', 'Quota resource', null, {
        help: 'Tenants’ quotas of this resource hold here. The gate’s name where empty.',
      }),
    ],
  },
  {
    title: 'Concurrency, per process',
    fields: [
      choice('concurrency/algorithm', 'Algorithm', ALGORITHMS, g.concurrency.algorithm),
      number('concurrency/initial', 'Limit', g.concurrency.initial, {
        unit: 'slots',
        help: 'Fixed: the limit. Adaptive: where it starts.',
      }),
      number('concurrency/floor', 'Floor', g.concurrency.floor, { unit: 'slots' }),
      number('concurrency/ceiling', 'Ceiling', null, {
        unit: 'slots',
        help: 'The limit itself where fixed; else 1,000.',
      }),
    ],
  },
  {
    title: 'Queue',
    fields: [
      number('queue/maxWaitMs', 'Longest wait', g.queue.maxWaitMs, ms),
      number('queue/maxItems', 'Most waiting', g.queue.maxItems, { unit: 'items' }),
      choice('queue/order', 'Order', QUEUE_ORDERS, g.queue.order, 'Adaptive: newest first while overloaded.'),
      number('queue/initialRatePerSecond', 'Rate until measured', null, { unit: 'per s' }),
    ],
  },
  {
    title: 'Deadlines',
    fields: [
      number('deadline/defaultMs', 'Where the caller names none', g.deadline.defaultMs, ms),
      number('deadline/minMs', 'Shortest', g.deadline.minMs, ms),
      number('deadline/maxMs', 'Longest', g.deadline.maxMs, ms),
    ],
  },
  {
    title: 'Classes',
    fields: [
      choice('classes/default', 'Class of unmarked work', CRITICALITIES, g.classes.default),
      choice('classes/highest', 'Highest class for outsiders', CRITICALITIES, g.classes.highest),
      ...CRITICALITIES.map((name) => number(`classes/reserves/${name}`, `Reserve of ${name}`, 0, share)),
      toggle('classes/strict', 'Never lend reserves', g.classes.strict),
      number('classes/topShareCap', 'Cap of a caller’s top class', null, share),
    ],
  },
  {
    title: 'Signals of overload',
    fields: SIGNAL_KINDS.flatMap((name) => [
      number(`signals/${name}/open`, `${name}: opens at`, null),
      number(`signals/${name}/close`, `${name}: closes at`, null),
    ]),
  },
  {
    title: 'Messages of a broker',
    fields: [
      number('consumer/maxAgeMs', 'Oldest that is worked on', null, {
        ...ms,
        help: 'Older ones are dead-lettered and counted as expired. Any age where empty.',
      }),
    ],
  },
  {
    title: 'Refusals and forgotten permits',
    fields: [
      number('retryAfter/minMs', 'Shortest Retry-After', g.retryAfter.minMs, ms),
      number('retryAfter/maxMs', 'Longest Retry-After', g.retryAfter.maxMs, ms),
      number('maxHoldMs', 'A permit is abandoned after', g.maxHoldMs, ms),
      number('zombieMaxMs', 'A zombie is lost after', g.zombieMaxMs, ms),
    ],
  },
]

export const DEPENDENCY_GROUPS: readonly FieldGroup[] = [
  {
    title: 'Calls',
    fields: [
      choice('mode', 'Mode', MODES, d.mode, MODE_HELP),
      number('ceiling', 'Most calls in flight', d.ceiling, { unit: 'calls', help: 'Per process.' }),
      number('timeoutMs', 'Timeout of the whole call', d.timeoutMs, ms),
      toggle('internal', 'One of our own services', d.internal, {
        help: 'Deadline, class, tenant and attempt are sent only to these.',
      }),
    ],
  },
  {
    title: 'Breaker',
    fields: [
      choice('breaker/mode', 'Mode', BREAKER_MODES, d.breaker.mode),
      number('breaker/failureShare', 'Opens at this share of failures', d.breaker.failureShare, share),
      number('breaker/minimumVolume', 'Calls needed to judge', d.breaker.minimumVolume, { unit: 'calls' }),
      number('breaker/windowMs', 'Window', d.breaker.windowMs, ms),
      number('breaker/slowCallMs', 'A call is slow from', null, ms),
      number('breaker/slowShare', 'Opens at this share of slow calls', d.breaker.slowShare, share),
      number('breaker/openMs', 'Stays open for', d.breaker.openMs, ms),
      number('breaker/probes', 'Probes at once', d.breaker.probes, { unit: 'calls' }),
      number('breaker/probeLeaseMs', 'A probe must end within', d.breaker.probeLeaseMs, ms),
    ],
  },
  {
    title: 'Retries',
    fields: [
      number('retry/maxAttempts', 'Attempts, the first included', d.retry.maxAttempts, {
        help: '1 = no retry, 5 at most.',
      }),
      choice('retry/backoff', 'Backoff', BACKOFFS, d.retry.backoff),
      choice('retry/jitter', 'Jitter', JITTERS, d.retry.jitter),
      number('retry/initialMs', 'First wait before a retry', d.retry.initialMs, ms),
      number('retry/factor', 'Factor', d.retry.factor),
      number('retry/maxMs', 'Longest wait before a retry', d.retry.maxMs, ms),
      number('retry/maxRetryAfterMs', 'Longest Retry-After waited for', d.retry.maxRetryAfterMs, ms),
      number('hedge/afterMs', 'Second attempt beside a first after', null, {
        ...ms,
        help: 'Paid from the retry budget; only for calls that may be repeated. Empty = never.',
      }),
    ],
  },
  {
    title: 'Single replicas',
    fields: [
      number('outlier/failureShare', 'Avoid from this share of bad attempts', o.failureShare, share),
      number('outlier/slowFactor', 'Slow: this many times the others', o.slowFactor),
      number('outlier/minimumVolume', 'Attempts needed to judge', o.minimumVolume),
      number('outlier/windowMs', 'Window', o.windowMs, ms),
      number('outlier/ejectMs', 'Avoided for', o.ejectMs, ms),
      number('outlier/maxEjectedShare', 'Avoid at most', o.maxEjectedShare, share),
    ],
  },
]

const BUDGETS: Readonly<Record<string, FieldGroup>> = {
  'token-bucket': {
    title: 'Retry budget',
    fields: [
      number('budget/maxTokens', 'Tokens', 10, { help: 'A failure takes one; no retries at half or below.' }),
      number('budget/ratio', 'Given back per success', 0.1),
    ],
  },
  ratio: {
    title: 'Retry budget',
    fields: [
      number('budget/share', 'Share of requests', 0.2, share),
      number('budget/floorPerSecond', 'Always allowed', 10, { unit: 'per s' }),
      number('budget/windowMs', 'Window', 10_000, ms),
    ],
  },
}

/** The settings of a retry budget depend on its kind. */
export const budgetGroup = (kind: unknown): FieldGroup =>
  (typeof kind === 'string' ? BUDGETS[kind] : undefined) ?? (BUDGETS['token-bucket'] as FieldGroup)

export const BUDGET_KINDS = Object.keys(BUDGETS)

export const TENANT_FIELDS: readonly Field[] = [
  choice('unknown', 'Tenants without a quota', ['allow', 'refuse'], 'allow'),
  number('default/rate', 'Rate of each', UNLIMITED.rate, { unit: 'per s' }),
  number('default/burst', 'Burst of each', UNLIMITED.burst),
  number('default/concurrency', 'Concurrency of each', UNLIMITED.concurrency, { unit: 'slots' }),
  number('default/weight', 'Weight of each', UNLIMITED.weight),
  choice(
    'expiry',
    'When a lease of a quota ends and nobody answers',
    LEASE_EXPIRIES,
    DEFAULT_TENANTS.expiry,
    'Safe uses what nobody else is given, deny nothing. Hold goes on with the lease for a while: up to twice the quota may pass in sum.',
  ),
  number('holdSeconds', 'Hold for', DEFAULT_TENANTS.holdSeconds, { unit: 's', help: 'Only with hold. 600 at most.' }),
]
