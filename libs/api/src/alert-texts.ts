import type { AlertRuleName } from './alert-rules.ts'

/** How a figure of a rule is shown: a share of 1, milliseconds, or seconds. */
export type AlertUnit = 'share' | 'ms' | 's'

interface AlertText {
  readonly title: string
  /** When it is raised, in a sentence. */
  readonly when: string
  readonly unit: AlertUnit
  /** What it is about: a gate, a dependency, a tenant's quota, or the service. */
  readonly about: 'gate' | 'dependency' | 'quota' | 'service'
  /** Settings besides those that every rule has. */
  readonly settings: Readonly<Record<string, { readonly label: string; readonly unit: AlertUnit }>>
  readonly runbook: { readonly means: string; readonly look: readonly string[]; readonly act: readonly string[] }
}

const WINDOW = { label: 'Window', unit: 's' } as const

/** Every built-in rule in words: the pages, the messages and `docs/reference/alerts.md` say this. Imports nothing, so that the dashboard loads no schemas for it. */
export const ALERT_TEXTS: Readonly<Record<AlertRuleName, AlertText>> = {
  collapse: {
    title: 'Collapse',
    when: 'A gate completes much less than it did at its best in the last ten minutes, with no less work on offer.',
    unit: 'share',
    about: 'gate',
    settings: { fall: { label: 'Missing goodput', unit: 'share' }, windowSeconds: WINDOW },
    runbook: {
      means:
        'The service does less although there is as much to do: the work that it accepts is wasted, or something under it is gone. This is what shedding is there to prevent, so it is not what a published limit or quota predicts.',
      look: [
        'The gate: do limit and queue still hold, or did work in flight and queue age rise? Was the service switched to observe or off?',
        'Late and failed work: late says that too much is accepted at once; failed says that a dependency is gone.',
        'The history of the policy: was something published just before?',
        'Instances: do all of them fall, or are some gone?',
      ],
      act: [
        'Roll back a policy that was published just before.',
        'Lower the concurrency limit of the gate by half and publish: goodput that rises again says that too much was accepted.',
        'Where a dependency fails, lower its ceiling and timeout, or force its breaker open.',
        'Restarting helps only where work that nobody waits for any more fills the process.',
      ],
    },
  },
  'completion-falling': {
    title: 'Completions falling',
    when: 'The same as collapse, milder and for longer: what is completed goes down while what is offered does not.',
    unit: 'share',
    about: 'gate',
    settings: { fall: { label: 'Missing goodput', unit: 'share' }, windowSeconds: WINDOW },
    runbook: {
      means:
        'Something takes capacity away: slower work, fewer processes, a dependency that lags. It may become a collapse.',
      look: [
        'Latency of the work and of its dependencies: which one rose first?',
        'How many instances are heard, and whether one of them does much less than the others.',
        'Late work: it was accepted and paid for, and was no use to its caller.',
      ],
      act: [
        'Bring back the capacity that is missing: processes, a pool of connections, a slow replica out of rotation.',
        'Until then lower the limit, so that what is accepted ends in time.',
      ],
    },
  },
  'high-class-shedding': {
    title: 'High classes shed',
    when: 'Work of the classes critical-plus and critical is refused, beyond what tenants’ quotas refuse.',
    unit: 'share',
    about: 'gate',
    settings: { share: { label: 'Refused share', unit: 'share' }, windowSeconds: WINDOW },
    runbook: {
      means: 'There is not enough left to shed below: what matters most is being turned away.',
      look: [
        'The breakdown by class: is everything below refused already? Then it is sheer volume.',
        'Who claims a high class: a caller whose share of it has grown may be declaring too much.',
        'Reserves: high classes without a reserve compete with everybody.',
      ],
      act: [
        'Give the high classes a reserve, or a larger one.',
        'Cap the share of the top class where one caller inflates it.',
        'Add capacity, or lower the quotas of tenants that can wait.',
      ],
    },
  },
  'queue-age': {
    title: 'Queue age',
    when: 'The oldest work in a queue has waited longer than the published policy lets it wait.',
    unit: 'ms',
    about: 'gate',
    settings: { ageMs: { label: 'Age that is always fine', unit: 'ms' } },
    runbook: {
      means:
        'A queue that is bounded in time does not get this old: the gate only observes, or the process does not come to look at its queue.',
      look: [
        'The mode of the gate: in observe nothing is refused.',
        'Event-loop delay: a process that is busy in one long computation looks at nothing.',
        'Where a broker feeds the gate: its lag, and the oldest age that the consumer works on.',
      ],
      act: [
        'Publish the policy in enforce.',
        'Move long computations off the event loop, or lower the limit.',
        'Set the oldest age that a consumer works on.',
      ],
    },
  },
  'sustained-shedding': {
    title: 'Sustained shedding',
    when: 'A gate has refused more than a share of what is offered for some time.',
    unit: 'share',
    about: 'gate',
    settings: { share: { label: 'Refused share', unit: 'share' }, windowSeconds: WINDOW },
    runbook: {
      means:
        'There is more work than the published limits let in. The message says whether that is under control: goodput holds, only low classes are refused and the queue is bounded. Then nothing is broken; there is not enough capacity, or a limit is too low.',
      look: [
        'By reason: limit-reached and queue-timeout say capacity, tenant-rate says a quota.',
        'By tenant: one that offers much more than usual, or all of them.',
        'Work in flight against the limit, and latency: is there room to raise it?',
      ],
      act: [
        'Raise the limit where latency is flat and the machine has room; the forecast in the publish dialog says what it would do.',
        'Add processes.',
        'Give the tenant that is over its quota a larger one, or leave it: that is what the quota is for.',
      ],
    },
  },
  'reserve-exhausted': {
    title: 'Reserve exhausted',
    when: 'Work of a class that has slots of its own is refused, beyond what tenants’ quotas refuse.',
    unit: 'share',
    about: 'gate',
    settings: { share: { label: 'Refused share', unit: 'share' }, windowSeconds: WINDOW },
    runbook: {
      means: 'The class has more work than its reserve and what it may borrow can hold.',
      look: [
        'Offered work of that class against before.',
        'The size of its reserve in slots: share x limit, in each process.',
      ],
      act: ['Enlarge the reserve, or the limit.', 'Ask the caller whether all of that work belongs into that class.'],
    },
  },
  'retry-budget-exhausted': {
    title: 'Retry budget exhausted',
    when: 'Most retries towards a dependency are not made, because its retry budget is empty.',
    unit: 'share',
    about: 'dependency',
    settings: { share: { label: 'Retries not made', unit: 'share' }, windowSeconds: WINDOW },
    runbook: {
      means: 'The dependency fails more often than retries can make good. The budget keeps them from making it worse.',
      look: [
        'Failures and latency of the dependency, and whether its breaker is open.',
        'Whether all instances see it: if not, it is a path or a replica.',
      ],
      act: [
        'Help the dependency. A larger budget makes it worse.',
        'Have a fallback answer what can be answered without it.',
      ],
    },
  },
  'quota-unused': {
    title: 'Quota unused while refused',
    when: 'A tenant is refused by its quota and uses much less than it.',
    unit: 'share',
    about: 'quota',
    settings: {
      used: { label: 'Used share that is enough', unit: 'share' },
      share: { label: 'Refused share', unit: 'share' },
      windowSeconds: WINDOW,
    },
    runbook: {
      means:
        'The quota is shared among processes that the tenant’s work does not reach evenly: some refuse while others have room.',
      look: [
        'Where the tenant’s work arrives: by instance.',
        'Agents that are lost or gone: they hold a share until they are presumed dead.',
        'A burst that is much smaller than how the work comes in.',
      ],
      act: [
        'Spread the tenant’s requests over all processes.',
        'Enlarge the burst where the work comes in bursts.',
        'End processes properly, so that they give their share back.',
      ],
    },
  },
  'agents-stale': {
    title: 'Agents stale',
    when: 'Agents are silent, or have not answered the published revision.',
    unit: 'share',
    about: 'service',
    settings: { share: { label: 'Stale agents that are fine', unit: 'share' } },
    runbook: {
      means: 'Those processes decide with what they had last. What is published now does not reach them.',
      look: [
        'The agents page, filtered by lost and pending: which hosts, which zone?',
        'Whether they run at all, and can reach the control plane.',
        'Revoked or expired keys: the audit says so.',
      ],
      act: [
        'Bring the connection back; agents come back by themselves.',
        'Where processes were killed, wait: they are presumed dead after ten minutes.',
      ],
    },
  },
  'revision-refused': {
    title: 'Revision refused',
    when: 'Agents refuse the published revision, or a part of it.',
    unit: 'share',
    about: 'service',
    settings: { share: { label: 'Refusing agents that are fine', unit: 'share' } },
    runbook: {
      means:
        'The policy says something that those agents cannot do. The parts that they took are in force; for the rest the former policy is.',
      look: [
        'The agents page, filtered by refused: each says what it refused and why.',
        'The versions of those agents.',
      ],
      act: ['Update those agents, or publish without what they cannot do.'],
    },
  },
  'books-off': {
    title: 'Books do not add up',
    when: 'Of some instances, what a gate was offered is not what became of it: window after window some work is missing, or is there twice.',
    unit: 'share',
    about: 'service',
    settings: { share: { label: 'Such instances that are fine', unit: 'share' } },
    runbook: {
      means:
        'The figures of those instances are wrong, and with them every chart, verdict and alert of the service. The work itself is decided in the process and goes on.',
      look: [
        "The service's page, books that do not add up (GET …/outcomes/flaws): which gates of which processes, and by how much. Arrivals are offered against accepted, shed, expired and waiting; endings are accepted against ended and active.",
        'Whether those instances have a version of the agent that the others have not.',
        'What sits between them and here: a Collector that drops or doubles points, two processes under one instance name.',
      ],
      act: [
        'Give each process an instance name of its own.',
        'Send past the Collector for a while: where the books add up again it was the Collector.',
        'Go back to the version of the agent before; the flaws say what to report.',
      ],
    },
  },
}

/** The rule's name, and what it is about where that is not the whole service: `Queue age of gate checkout`. */
export const alertTitle = (rule: AlertRuleName, subject: string): string => {
  const { title, about } = ALERT_TEXTS[rule]
  return subject === '' ? title : `${title} of ${about} ${subject}`
}

/** Severities, and what each means. */
export const ALERT_SEVERITY_TEXTS = {
  page: 'Wakes somebody',
  ticket: 'For working hours',
  info: 'Only shown',
} as const
