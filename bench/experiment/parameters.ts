/** What the experiment is made of. Published: the first three. The rest was chosen so that the published rows come out in shape; `why` stands in the report. */
export const PARAMETERS = {
  seconds: 35,
  patienceMs: 3_000,
  ceilingMb: 256,
  users: 10,
  thinkMs: [500, 900],
  bufferMb: 4,
  workMs: [10, 20],
  downMs: 800,
  watchMs: 10,
  attemptMs: 250,
  retries: 3,
  backoffMs: 100,
  breakAfter: 5,
  openMs: 250,
  bulkhead: 10,
  settleAfterMs: 30_000,
} as const

export type Span = readonly [from: number, to: number]

const span = ([from, to]: Span): string => `${from} to ${to} ms, evenly spread`

/** Each parameter, what it is and why, as the report shows it. */
export const REASONS: readonly (readonly [name: string, value: string, why: string])[] = [
  ['stage', `${PARAMETERS.seconds} s`, 'published'],
  ['patience of an order', `${PARAMETERS.patienceMs} ms`, 'published: the one timeout of the base stage'],
  ['memory ceiling of the payment', `${PARAMETERS.ceilingMb} MB`, 'published; resident memory, read from outside'],
  [
    'users',
    `${PARAMETERS.users}`,
    'base and breaker rows of a closed loop: users / 8.16 - users / 13.00 must be what a mean order takes longer in the base stage, 0.16 x 3 s',
  ],
  [
    'time to think',
    span(PARAMETERS.thinkMs),
    `so that ${PARAMETERS.users} users make 8 orders a second in the base stage`,
  ],
  [
    'leak',
    `${PARAMETERS.bufferMb} MB a request`,
    'about 50 requests a life: ten users caught by each death are then the published 16 % of errors',
  ],
  ['work of a payment', span(PARAMETERS.workMs), 'the published medians, 12 to 33 ms'],
  [
    'out of reach after a death',
    `${PARAMETERS.downMs} ms`,
    'longer: no three retries could bring errors down to 2.58 %; shorter: the p95 of the retry row could not be 1,148 ms',
  ],
  [
    'what hangs while it dies',
    'what is sent while it is away; what was in its hands is reset',
    'p90 and p95 of the base row are the timeout itself, so what failed there was never answered',
  ],
  ['look at its memory', `every ${PARAMETERS.watchMs} ms`, 'so that it dies at the ceiling and not far past it'],
  [
    'timeout of an attempt',
    `${PARAMETERS.attemptMs} ms, from the second stage on`,
    'a retry after 3 s is none: fewer than 5 % of the published retry row can have hung for 3 s',
  ],
  [
    'retries',
    `${PARAMETERS.retries}, exponential from ${PARAMETERS.backoffMs} ms, full jitter`,
    'p90, p95 and errors of the published retry row',
  ],
  [
    'circuit breaker',
    `${PARAMETERS.breakAfter} failures in a row open it for ${PARAMETERS.openMs} ms; its refusals are retried like any failure`,
    "the number in cockatiel's own example; p95 and rate of the published row",
  ],
  ['bulkhead', `${PARAMETERS.bulkhead} at once, nobody waits`, 'published'],
  [
    'fifth stage: a payment that was put off',
    `is settled after ${PARAMETERS.settleAfterMs / 1_000} s, at most five a second`,
    'half of the minute that it is promised within',
  ],
]
