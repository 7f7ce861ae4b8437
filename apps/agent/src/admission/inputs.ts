/**
 * Everything that decides about work on arrival, as numbers, by the column that each has in the trail. NaN = none,
 * 0 and 1 = no and yes, times in milliseconds, rates per millisecond.
 */
export const INPUT = {
  atMs: 0,
  revision: 1,
  enforced: 2,
  draining: 3,
  mayWait: 4,
  /** Place in the row of classes, 0 is the highest. */
  klass: 5,
  remainingMs: 6,
  cost: 7,
  attempt: 8,
  level: 9,
  delayMs: 10,
  tenantKnown: 11,
  /** The tenant's share of concurrency and rate, and what it uses of it. */
  concurrency: 12,
  held: 13,
  tokens: 14,
  capacity: 15,
  limit: 16,
  inUse: 17,
  /** Free slots that are kept for other classes. */
  keptIdle: 18,
  /** Of the class. */
  used: 19,
  reserve: 20,
  waiting: 21,
  /** In the whole queue, and what of it is ahead: in the classes above, and in its own. */
  queued: 22,
  above: 23,
  ahead: 24,
  maxItems: 25,
  maxWaitMs: 26,
  newestFirst: 27,
  /** Whether somebody leaves a full queue for it. */
  room: 28,
  drainPerMs: 29,
  initialPerMs: 30,
  completions: 31,
  typicalMs: 32,
} as const
export type Input = keyof typeof INPUT
export type Inputs = Readonly<Record<Input, number>>

export const INPUTS = Object.keys(INPUT) as readonly Input[]
