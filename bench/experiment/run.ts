import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TestRedis } from '../../apps/agent/src/defer/redis.testkit.ts'
import { Ledger } from './ledger.ts'
import { type Death, Supervisor } from './supervisor.ts'
import { type Answer, closedLoop } from './users.ts'

export const STAGES = ['base', 'retry', 'breaker', 'bulkhead', 'weir'] as const
export type StageName = (typeof STAGES)[number]

/** What one stage came to. Times in milliseconds since the stage began, those of executions since the epoch. */
export interface Ran {
  readonly stage: StageName
  readonly ms: number
  readonly startedAt: number
  readonly answers: readonly Answer[]
  readonly deaths: readonly Death[]
  /** Out of reach, of `ms`. */
  readonly downMs: number
  /** Requests that the order service sent to the payment service, those for deferred payments included. */
  readonly attempts: number
  readonly executions: ReadonlyMap<string, readonly number[]>
}

export interface StageOptions {
  readonly ms: number
  readonly seed: number
  /** What the payment service keeps of each request. */
  readonly bufferMb: number
  /** A short stage goes on until it has seen what it is to show, however slow the machine is, for a minute at most. */
  readonly untilSeen: boolean
  /** A deferred payment is not tried again before, milliseconds. */
  readonly settleAfterMs: number
  /** Ends the stage at once, with everything that it started. */
  readonly signal: AbortSignal
  readonly onProgress?: (answers: number, deaths: number) => void
}

/** A deferred payment is promised within this. */
export const PROMISED_WITHIN_MS = 60_000
/** Between two looks into the ledger. */
const LOOK_MS = 250
/** After the last execution that is waited for: time for one too many to show. */
const GRACE_MS = 1_000

/** The longest that a stage goes on until it has seen what it is to show. */
const LONGEST_MS = 60_000

const hasSeen = (stage: StageName, deaths: number, answers: readonly Answer[]): boolean =>
  deaths > 0 &&
  answers.some(({ kind }) => kind === 'paid') &&
  (stage !== 'weir' || answers.some(({ kind }) => kind === 'deferred'))

const startOrders = (stage: StageName, settings: Readonly<Record<string, string>>): ChildProcess => {
  const env = { ...process.env, ...settings }
  return fork(new URL('orders.ts', import.meta.url), [stage], { env })
}

/** What it tells next. @throws where it ends instead. */
const told = async <T>(child: ChildProcess, signal: AbortSignal): Promise<T> => {
  const gone = new AbortController()
  const onExit = (code: number | null) => gone.abort(new Error(`The order service ended with ${code}.`))
  child.once('exit', onExit)
  try {
    const [message] = await once(child, 'message', { signal: AbortSignal.any([signal, gone.signal]) })
    return message
  } catch (error) {
    throw gone.signal.aborted ? gone.signal.reason : error
  } finally {
    child.off('exit', onExit)
  }
}

/** Waits until all of them were executed, or the last of them is too late. */
const settled = async (ledger: Ledger, promised: readonly string[], signal: AbortSignal): Promise<void> => {
  const until = performance.now() + PROMISED_WITHIN_MS
  while (performance.now() < until) {
    const executions = ledger.read()
    if (promised.every((payment) => executions.has(payment))) break
    await sleep(LOOK_MS, undefined, { signal })
  }
  if (promised.length > 0) await sleep(GRACE_MS, undefined, { signal })
}

/** One stage in processes of its own, from the first order to the last execution that was promised. Nothing of it is left when it ends, however it does. */
export const runStage = async (stage: StageName, options: StageOptions): Promise<Ran> => {
  const { seed, bufferMb, settleAfterMs, signal, onProgress } = options
  const folder = await mkdtemp(join(tmpdir(), 'weir-experiment-'))
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const file = join(folder, 'ledger')
    const ledger = new Ledger(file)
    const redis = stage === 'weir' ? await TestRedis.start() : null
    ends.push(() => redis?.stop())
    const supervisor = new Supervisor(file, bufferMb)
    ends.push(() => supervisor.stop())
    await supervisor.start()
    const orders = startOrders(stage, {
      PAYMENTS_URL: supervisor.url,
      REDIS_SOCKET: redis?.socket ?? '',
      SETTLE_AFTER_MS: `${settleAfterMs}`,
    })
    ends.push(() => orders.kill('SIGKILL'))
    const { port } = await told<{ port: number }>(orders, signal)

    const [startedAt, beganAt] = [Date.now(), supervisor.nowMs]
    const onAnswer = (answers: number) => onProgress?.(answers, supervisor.deaths.length)
    const goesOn = (now: number, answers: readonly Answer[]) =>
      now < options.ms || (options.untilSeen && now < LONGEST_MS && !hasSeen(stage, supervisor.deaths.length, answers))
    const answers = await closedLoop(`http://127.0.0.1:${port}`, stage, { goesOn, seed, signal, onAnswer })
    const ms = options.untilSeen ? Math.max(options.ms, ...answers.map(({ askedAt }) => askedAt)) : options.ms
    const deaths = supervisor.deaths
      .filter(({ diedAt }) => diedAt < beganAt + ms)
      .map((death) => ({ ...death, diedAt: death.diedAt - beganAt, backAt: death.backAt - beganAt }))
    const deferred = answers.filter(({ kind }) => kind === 'deferred')
    await settled(
      ledger,
      deferred.map(({ payment }) => payment),
      signal,
    )
    orders.send('attempts')
    const { attempts } = await told<{ attempts: number }>(orders, signal)
    const downMs = supervisor.downMs(beganAt, beganAt + ms)
    return { stage, ms, startedAt, answers, deaths, downMs, attempts, executions: ledger.read() }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
