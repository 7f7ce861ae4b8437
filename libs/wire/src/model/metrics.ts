/**
 * Every metric that an agent exports, by its OpenTelemetry name. Counters are delta and exact; gauges are read at the end of the window;
 * histograms have the bounds below. Units follow UCUM. One table: the agent writes it, the control plane reads it, the reference prints it.
 */
export type MetricKind = 'counter' | 'gauge' | 'histogram'

export interface MetricRow {
  readonly kind: MetricKind
  readonly unit: string
  readonly attributes: readonly MetricAttribute[]
  readonly description: string
}

export const ATTRIBUTES = {
  gate: 'weir.gate',
  dependency: 'weir.dependency',
  class: 'weir.class',
  tenant: 'weir.tenant',
  /** A topic or queue of a broker. */
  topic: 'weir.topic',
  reason: 'weir.reason',
  revision: 'weir.revision',
  mode: 'weir.mode',
  /** `true` on every point of a gate where work enters the fleet; left out on the others. */
  edge: 'weir.edge',
} as const
export type MetricAttribute = keyof typeof ATTRIBUTES

/** Of the resource of every export. */
export const RESOURCE = {
  service: 'service.name',
  instance: 'service.instance.id',
  environment: 'deployment.environment.name',
  /** `metrics` or `spans`: where this process's figures are to be read from, fixed for its life. */
  figures: 'weir.figures',
  boot: 'weir.boot',
  /** Number of the immutable window within the boot; a repeat is dropped by the store. */
  sequence: 'weir.sequence',
} as const

const counter = (description: string, ...attributes: MetricAttribute[]): MetricRow => ({
  kind: 'counter',
  unit: '{work}',
  attributes,
  description,
})
const gauge = (unit: string, description: string, ...attributes: MetricAttribute[]): MetricRow => ({
  kind: 'gauge',
  unit,
  attributes,
  description,
})
const histogram = (description: string, ...attributes: MetricAttribute[]): MetricRow => ({
  kind: 'histogram',
  unit: 's',
  attributes,
  description,
})

export const METRICS = {
  'weir.gate.offered': counter('Work that arrived', 'gate', 'class', 'tenant'),
  'weir.gate.accepted': counter('Work that was given a slot', 'gate', 'class', 'tenant'),
  'weir.gate.shed': counter('Work refused on purpose', 'gate', 'class', 'tenant', 'reason', 'revision'),
  'weir.gate.expired': counter('Work whose deadline passed before it started', 'gate', 'class', 'tenant', 'reason'),
  'weir.gate.cancelled_waiting': counter('Work whose caller left while it waited', 'gate', 'class', 'tenant'),
  'weir.gate.completed': counter('Work that ended well before its deadline: goodput', 'gate', 'class', 'tenant'),
  'weir.gate.late': counter('Work that ended well after its deadline', 'gate', 'class', 'tenant'),
  'weir.gate.failed': counter('Work that ended badly', 'gate', 'class', 'tenant'),
  'weir.gate.cancelled': counter('Running work whose caller left', 'gate', 'class', 'tenant'),
  'weir.gate.abandoned': counter('Permits that the host forgot', 'gate', 'class', 'tenant'),
  'weir.gate.ignored': counter(
    'Completed work that is not goodput: ended without a lesson, a 4xx for one (sub-count)',
    'gate',
    'class',
    'tenant',
  ),
  'weir.gate.degraded': counter(
    'Accepted work that was told to do its cheaper variant (sub-count)',
    'gate',
    'class',
    'tenant',
  ),
  'weir.gate.deferred': counter('Work made durable elsewhere, to be done later', 'gate', 'class', 'tenant'),
  'weir.gate.would_shed': counter(
    'Accepted in observe mode, would have been shed or expired in enforce mode',
    'gate',
    'class',
    'tenant',
    'reason',
  ),
  'weir.gate.limit': gauge('{slot}', 'Concurrency limit of the process', 'gate'),
  'weir.gate.active': gauge('{slot}', 'Slots in use by running work', 'gate'),
  'weir.gate.zombies': gauge('{slot}', 'Slots held by cancelled work that still runs', 'gate'),
  'weir.gate.waiting': gauge('{work}', 'Work in the queue', 'gate'),
  'weir.gate.deferring': gauge('{work}', 'Work that is being made durable', 'gate'),
  'weir.gate.queue.oldest_age': gauge('s', 'Age of the oldest in the queue', 'gate'),
  'weir.gate.level': gauge('{level}', 'Overload level', 'gate'),
  'weir.gate.queue.wait': histogram('From arrival to start', 'gate'),
  'weir.gate.duration': histogram('From arrival to end', 'gate'),
  'weir.dependency.calls': counter('Calls asked for', 'dependency'),
  'weir.dependency.completed': counter('Calls that ended well in time', 'dependency'),
  'weir.dependency.late': counter('Calls that ended well after their deadline', 'dependency'),
  'weir.dependency.failed': counter('Calls that failed after the last attempt', 'dependency'),
  'weir.dependency.cancelled': counter('Calls whose caller left', 'dependency'),
  'weir.dependency.shed': counter('Calls refused locally', 'dependency', 'reason'),
  'weir.dependency.attempts': counter('Attempts sent: first attempts, retries and hedges', 'dependency'),
  'weir.dependency.retries': counter('Retries sent', 'dependency'),
  'weir.dependency.hedges': counter('Hedges sent: second attempts beside one that takes long', 'dependency'),
  'weir.dependency.budget_exhausted': counter('Retries and hedges not made because the budget was empty', 'dependency'),
  'weir.dependency.fallbacks': counter('Answers by fallback (sub-count of shed and failed)', 'dependency'),
  'weir.dependency.fallbacks_failed': counter(
    'Fallbacks that failed, or found all of their own slots taken',
    'dependency',
  ),
  'weir.dependency.would_shed': counter(
    'Let through in observe mode, would have been refused in enforce mode',
    'dependency',
    'reason',
  ),
  'weir.dependency.stale': counter('Results that came too late for the breaker: of an earlier state', 'dependency'),
  'weir.dependency.lost': counter('Attempts that never ended, their slots taken back', 'dependency'),
  'weir.dependency.zombies': gauge('{call}', 'Calls that are over for their caller but still run', 'dependency'),
  'weir.dependency.in_flight': gauge('{call}', 'Calls in flight, zombies included', 'dependency'),
  'weir.dependency.ceiling': gauge('{call}', 'Ceiling of calls in flight', 'dependency'),
  'weir.dependency.breaker': gauge('{state}', '0 closed, 1 half-open, 2 open', 'dependency'),
  'weir.dependency.budget_left': gauge('1', 'Share of the retry budget that is left', 'dependency'),
  'weir.dependency.ejections': counter('Replicas that began to be avoided', 'dependency'),
  'weir.dependency.ejected': gauge('{endpoint}', 'Replicas that are avoided now', 'dependency'),
  'weir.dependency.duration': histogram('Whole call, all attempts', 'dependency'),
  'weir.consumer.expired': counter(
    'Messages left because they were too old (also expired of their gate)',
    'gate',
    'topic',
  ),
  'weir.consumer.would_expire': counter('Worked on in observe mode, too old for enforce mode', 'gate', 'topic'),
  'weir.consumer.left': counter('Delivered and never begun: their lease ended, or the consumer did', 'gate', 'topic'),
  'weir.consumer.lag': gauge(
    's',
    'Age of the oldest message that waits, left out while there is no broker',
    'gate',
    'topic',
  ),
  'weir.consumer.in_hand': gauge('{message}', 'Messages that were delivered and have not begun', 'gate', 'topic'),
  'weir.consumer.running': gauge('{message}', 'Messages that are worked on', 'gate', 'topic'),
  'weir.consumer.paused': gauge('1', '1 while it fetches no more', 'gate', 'topic'),
  'weir.telemetry.dropped': counter('Windows dropped because they were too old to keep'),
  'weir.telemetry.spans_dropped': counter('Spans dropped because they could not be sent'),
} as const satisfies Record<string, MetricRow>
export type MetricName = keyof typeof METRICS

/** Upper bounds of every duration histogram, seconds; the last bucket is open. */
export const DURATION_BOUNDS_S = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30,
] as const
