import { ATTRIBUTES } from './metrics.ts'

/** One span for each sampled piece of work at a gate, one for each sampled call of a dependency. */
export const SPANS = {
  gate: { name: 'weir.gate', description: 'From arrival to its end, or to its refusal' },
  dependency: { name: 'weir.dependency', description: 'The whole call, all attempts' },
} as const

/** How a sampled piece of work ended, in the words of the figures. A call ends without the last four of a gate. */
export const SAMPLE_OUTCOMES = [
  'completed',
  'late',
  'failed',
  'cancelled',
  'shed',
  'abandoned',
  'expired',
  'cancelled_waiting',
  'deferred',
] as const
export type SampleOutcome = (typeof SAMPLE_OUTCOMES)[number]

/** Every attribute of a span: what decided, and for how many it stands. */
export const SPAN_ATTRIBUTES = {
  gate: { name: ATTRIBUTES.gate, description: 'Of a gate' },
  dependency: { name: ATTRIBUTES.dependency, description: 'Of a dependency' },
  edge: { name: ATTRIBUTES.edge, description: '`true` at a gate where work enters the fleet; left out elsewhere' },
  outcome: { name: 'weir.outcome', description: `One of ${SAMPLE_OUTCOMES.join(', ')}` },
  adjustedCount: {
    name: 'weir.adjusted_count',
    description:
      'How many pieces of work of this gate or dependency the span stands for, itself included; 0: a refusal that is told for its reasons only',
  },
  mode: { name: ATTRIBUTES.mode, description: 'enforce or observe' },
  class: { name: ATTRIBUTES.class, description: 'Its criticality' },
  tenant: { name: ATTRIBUTES.tenant, description: 'Whom it was for' },
  reason: { name: ATTRIBUTES.reason, description: 'Of a refusal' },
  signal: { name: 'weir.signal', description: 'Of a refusal: elsewhere, later or stop' },
  revision: { name: ATTRIBUTES.revision, description: 'Of the policy that decided; left out on the built-in one' },
  queueWait: {
    name: 'weir.queue_wait',
    description: 'From arrival to start, seconds; left out where it never started',
  },
  limit: { name: 'weir.limit', description: 'Slots of the gate, or ceiling of the dependency, at the decision' },
  inFlight: { name: 'weir.in_flight', description: 'Slots in use at the decision, zombies included' },
  waiting: { name: 'weir.waiting', description: 'Work in the queue of the gate at the decision' },
  attempts: { name: 'weir.attempts', description: 'Attempts sent, of a call' },
  route: { name: 'weir.route', description: 'Where the host says what it was' },
  retryAfter: { name: 'weir.retry_after', description: 'Of a refusal: after how many seconds to come again' },
  level: { name: 'weir.level', description: 'Overload level of the gate at the decision' },
  remaining: { name: 'weir.remaining', description: 'Until its deadline at the decision, seconds' },
  predictedWait: {
    name: 'weir.predicted_wait',
    description: 'Wait that the queue predicted, seconds; left out where there was nothing to predict',
  },
  delay: { name: 'weir.delay', description: 'Event-loop delay at the decision, seconds' },
  maxWait: { name: 'weir.max_wait', description: 'As long as the queue lets anybody wait, seconds' },
  classUsed: { name: 'weir.class.used', description: 'Slots that its class held' },
  classReserve: { name: 'weir.class.reserve', description: 'Slots that are reserved for its class' },
  keptIdle: { name: 'weir.kept_idle', description: 'Free slots that were kept for other classes' },
  tenantHeld: { name: 'weir.tenant.held', description: 'Slots that its tenant held' },
  tenantConcurrency: { name: 'weir.tenant.concurrency', description: 'Slots that its tenant may hold' },
  tenantTokens: { name: 'weir.tenant.tokens', description: 'Units of rate that its tenant had left' },
  cost: { name: 'weir.cost', description: 'Units of rate that it costs' },
} as const
