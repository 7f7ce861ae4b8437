import type { Algorithm } from '@weir/policy/model'
import { seededRandom } from '@weir/testkit'
import { bench, type Figures, gatePolicy, settings } from './gate.testkit.ts'
import type { Entry, Permit, Work } from './work.ts'

/** A service whose work shares `cores` evenly: alone a piece takes `baseMs` on average; past `cores` pieces all of them slow down alike. */
export interface Service {
  readonly cores: number
  readonly baseMs: number
}

export interface Phase {
  readonly seconds: number
  /** Offered work, as a multiple of the capacity. Poisson. */
  readonly load: number
  /** Everything ends as overload instead of well. */
  readonly overloaded?: boolean
  /** How much longer work takes, whatever runs beside it. */
  readonly slower?: number
}

/** One second. `goodput` is a share of the capacity. */
export interface Second {
  readonly goodput: number
  readonly slots: number
  readonly offered: number
}

export interface Ended {
  readonly seconds: readonly Second[]
  readonly figures: Figures
  /** Least time that was left of a deadline when its work started, in ms. */
  readonly leastLeftMs: number
}

export interface Trial {
  readonly algorithm: Algorithm
  readonly service: Service
  readonly phases: readonly Phase[]
  readonly initial?: number
  readonly floor?: number
  readonly ceiling?: number
  readonly seed?: number
  /** Beside the limit, the queue and the deadline. */
  readonly policy?: Parameters<typeof gatePolicy>[0]
  /** Whose work it is. */
  readonly work?: (random: () => number) => Work
}

interface Job {
  readonly permit: Permit
  leftMs: number
}

/** A real gate before a modelled service, on virtual time, in steps of 1 ms. */
export const simulate = async (trial: Trial): Promise<Second[]> => [...(await simulateWhole(trial)).seconds]

export const simulateWhole = async (trial: Trial): Promise<Ended> => {
  const { algorithm, service, phases, initial = 20, floor = 1, ceiling = 1_000, seed = 1 } = trial
  const { policy: parts = {}, work: workOf = () => ({}) } = trial
  const random = seededRandom(seed)
  const policy = gatePolicy({
    concurrency: { algorithm, initial, floor, ceiling },
    queue: { maxWaitMs: 100, maxItems: 1_000 },
    deadline: { defaultMs: 1_000 },
    ...parts,
  })
  const { gate, runtime, figures } = bench(settings(policy), { tenantLabels: 2_000 })
  const jobs: Job[] = []
  const seconds: Second[] = []
  const perMs = service.cores / service.baseMs
  let good = 0
  let offered = 0
  let leastLeftMs = Number.POSITIVE_INFINITY
  const begin = (entry: Entry) => {
    if (!entry.accepted) return
    leastLeftMs = Math.min(leastLeftMs, entry.remainingMs)
    jobs.push({ permit: entry, leftMs: service.baseMs * (0.7 + 0.6 * random()) })
  }
  const work = ({ overloaded = false, slower = 1 }: Phase) => {
    const doneMs = Math.min(1, service.cores / jobs.length) / slower
    for (let i = jobs.length - 1; i >= 0; i--) {
      const job = jobs[i]
      if (!job) continue
      job.leftMs -= doneMs
      if (job.leftMs > 0) continue
      jobs[i] = jobs[jobs.length - 1] as Job
      jobs.pop()
      if (overloaded) job.permit.dropped()
      else {
        if (job.permit.remainingMs > 0) good++
        job.permit.success()
      }
    }
  }
  for (const phase of phases) {
    for (let ms = 0; ms < phase.seconds * 1_000; ms++) {
      for (let n = poisson(phase.load * perMs, random); n > 0; n--) {
        offered++
        const entry = gate.acquire(workOf(random))
        if ('accepted' in entry) begin(entry)
        else void entry.then(begin)
      }
      runtime.time.advance(1)
      work(phase)
      await Promise.resolve()
      if (ms % 1_000 !== 999) continue
      seconds.push({ goodput: good / (perMs * 1_000), slots: gate.limit.slots, offered })
      good = 0
      offered = 0
    }
  }
  const ended = { seconds, figures: figures(), leastLeftMs }
  gate.close()
  return ended
}

/** Knuth's method: fine for small means. */
const poisson = (mean: number, random: () => number): number => {
  const least = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > least; product *= random()) count++
  return count
}

/** (max - min) / mean of the limit. */
export const oscillation = (seconds: readonly Second[]): number => {
  const slots = seconds.map((second) => second.slots)
  const mean = slots.reduce((sum, n) => sum + n, 0) / slots.length
  return (Math.max(...slots) - Math.min(...slots)) / mean
}

export const meanGoodput = (seconds: readonly Second[]): number =>
  seconds.reduce((sum, second) => sum + second.goodput, 0) / seconds.length
