import { DEFAULT_DEPENDENCY, type DependencyPolicy } from '@weir/policy/model'
import { type VirtualRuntime, virtualRuntime } from '@weir/testkit'
import type { MetricName } from '@weir/wire/model'
import type { WorkContext } from '../core/context.ts'
import type { FigureAttributes, FigureSink } from '../core/figures.ts'
import { Dependency } from './dependency.ts'

export interface PolicyChange extends Partial<Omit<DependencyPolicy, 'breaker' | 'retry'>> {
  readonly breaker?: Partial<DependencyPolicy['breaker']>
  readonly retry?: Partial<DependencyPolicy['retry']>
}

/** Small, quick and without retries or jitter, so that a test says what it needs. */
export const policyWith = (change: PolicyChange = {}): DependencyPolicy => ({
  ...DEFAULT_DEPENDENCY,
  ceiling: 10,
  timeoutMs: 1_000,
  ...change,
  breaker: { ...DEFAULT_DEPENDENCY.breaker, ...change.breaker },
  retry: { ...DEFAULT_DEPENDENCY.retry, maxAttempts: 1, jitter: 'none', ...change.retry },
})

export interface Rig {
  readonly dependency: Dependency
  readonly runtime: VirtualRuntime
  readonly time: VirtualRuntime['time']
  apply(change: PolicyChange): void
}

export const rig = (change: PolicyChange = {}, seed = 1): Rig => {
  const runtime = virtualRuntime(seed, 1_000)
  const dependency = new Dependency('payments', runtime)
  const apply = (next: PolicyChange) => {
    const problems = dependency.apply({ policy: policyWith(next), revision: 7 })
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
  }
  apply(change)
  return { dependency, runtime, time: runtime.time, apply }
}

export const contextOf = (change: Partial<WorkContext>): WorkContext => ({
  deadlineAt: Infinity,
  criticality: null,
  tenant: null,
  attempt: 1,
  signal: null,
  retried: 0,
  ...change,
})

/** Work that ends when `timer` says so. Ignores its signal, as much work does. */
export const lasting =
  <T>({ time }: Rig, ms: number, value: T) =>
  (): Promise<T> =>
    new Promise((resolve) => time.set(() => resolve(value), ms))

export const failing =
  ({ time }: Rig, ms: number, error: unknown) =>
  (): Promise<never> =>
    new Promise((_, reject) => time.set(() => reject(error), ms))

/** How a promise stands now. */
export const watch = <T>(promise: Promise<T>) => {
  const seen: { state: 'pending' | 'resolved' | 'rejected'; value?: T; error?: unknown } = { state: 'pending' }
  promise.then(
    (value) => Object.assign(seen, { state: 'resolved', value }),
    (error) => Object.assign(seen, { state: 'rejected', error }),
  )
  return seen
}

export class Figures implements FigureSink {
  readonly counters: Record<string, number> = {}
  readonly gauges: Record<string, number> = {}
  readonly durations: { counts: readonly number[]; sum: number }[] = []

  counter(name: MetricName, delta: number, { reason }: FigureAttributes): void {
    const key = reason === undefined ? name : `${name} ${reason}`
    this.counters[short(key)] = (this.counters[short(key)] ?? 0) + delta
  }

  gauge(name: MetricName, value: number): void {
    this.gauges[short(name)] = value
  }

  histogram(_name: MetricName, counts: readonly number[], sum: number): void {
    this.durations.push({ counts, sum })
  }
}

const short = (name: string): string => name.replace('weir.dependency.', '')

export const figuresOf = ({ dependency }: Rig): Figures => {
  const figures = new Figures()
  dependency.collect(figures)
  return figures
}
