/** The closed table of reasons in words (a screen shows both: the word to search for, the sentence to understand). */
const TITLES: Readonly<Record<string, string>> = {
  'limit-reached': 'All slots taken',
  'queue-full': 'Queue full',
  'queue-timeout': 'Waited as long as the queue allows',
  'would-be-late': 'Would miss its deadline',
  'class-shed': 'Class is being shed',
  'tenant-rate': 'Tenant used up its rate',
  'tenant-concurrency': 'Tenant holds all of its slots',
  'unknown-tenant': 'Tenant has no quota',
  draining: 'Process shutting down',
  'defer-failed': 'Deferring failed',
  'expired-on-arrival': 'Deadline passed on arrival',
  'expired-in-queue': 'Deadline passed in the queue',
  'breaker-open': 'Breaker open',
  'ceiling-reached': 'All slots to it taken',
  throttled: 'Adaptive throttle',
  'deadline-passed': 'Deadline had passed',
}

export const reasonTitle = (reason: string): string => TITLES[reason] ?? reason
