import { Dependency, type Entry, Gate, type Work } from '@weir/agent'
import { CRITICALITIES, DEFAULT_TENANTS, policySchema, type Quota, SOLE } from '@weir/policy'

const TENANTS = 1_000
const noOp = async (): Promise<void> => undefined

export const tenantNames = (count: number): string[] => Array.from({ length: count }, (_, i) => `tenant-${i}`)

/** Kept as the agent keeps it: the global is a getter. */
const { performance } = globalThis

export const runtime = {
  clock: { now: () => performance.now() },
  timers: {
    set: (callback: () => void, ms: number) => setTimeout(callback, ms).unref(),
    clear: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
  },
  random: Math.random,
  onError: (error: unknown) => {
    throw error
  },
}

const document = policySchema.parse({
  gates: {
    checkout: {
      concurrency: { algorithm: 'gradient2', floor: 10, initial: 100, ceiling: 1_000 },
      classes: { highest: 'critical-plus', reserves: { critical: 0.2, 'sheddable-plus': 0.1 } },
      signals: { eventLoopDelayMs: { open: 200, close: 100 }, heapShare: { open: 0.9, close: 0.8 } },
    },
  },
  dependencies: { payments: { ceiling: 100, timeoutMs: 3_000, throttle: {} } },
})

const settingsOf = (quota: Partial<Quota>, tenants = TENANTS, gate: Partial<(typeof document.gates)[string]> = {}) => {
  const policy = document.gates.checkout
  if (!policy) throw new Error('The document has no gate.')
  const whole: Quota = { rate: null, burst: null, concurrency: null, weight: 1, ...quota }
  return {
    policy: { ...policy, ...gate },
    tenants: document.tenants,
    quotas: Object.fromEntries(tenantNames(tenants).map((name) => [name, whole])),
    split: SOLE,
    revision: 1,
  }
}

const gateWith = (settings: ReturnType<typeof settingsOf>): Gate => new Gate({ name: 'checkout', runtime, settings })

/** Work of a thousand tenants in four classes, made beforehand: a host has it at hand as well. */
const workload = (tenants = TENANTS): readonly Work[] =>
  tenantNames(tenants).map((tenant, i) => ({
    tenant,
    criticality: CRITICALITIES[i % CRITICALITIES.length] ?? 'critical',
    deadlineMs: 1_000,
  }))

/** A gate under the full policy: adaptive limit, four classes, quotas, signals, counters. */
export const openGate = (tenants = TENANTS): (() => void) => {
  const gate = gateWith(settingsOf({ rate: 1e9, burst: 1e9, concurrency: 1_000 }, tenants))
  const work = workload(tenants)
  let turn = 0
  return () => {
    const entry = gate.tryAcquire(work[turn])
    turn = turn + 1 < tenants ? turn + 1 : 0
    if (!entry.accepted) throw new Error(`Refused: ${entry.reason}`)
    entry.success()
  }
}

/**
 * A gate with every slot taken and so many waiting, of a thousand tenants. Each call asks to wait, and ends running work, which starts the one whose turn
 * it is: what waits stays as many. Time stands still, so nobody expires and no clock is paid for.
 */
export const queuedGate = (waiting: number): (() => Promise<void>) => {
  const gate = new Gate({
    name: 'checkout',
    runtime: { ...runtime, clock: { now: () => 1 }, timers: { set: () => undefined, clear: () => undefined } },
    settings: settingsOf({ concurrency: 1_000_000 }, TENANTS, {
      concurrency: { algorithm: 'fixed', floor: 1, initial: 8, ceiling: 8 },
      queue: { maxWaitMs: 60_000, maxItems: 1_000_000, initialRatePerSecond: null, order: 'fifo' },
    }),
  })
  const work = workload().map((one) => ({ ...one, deadlineMs: 60_000 }))
  const running: Entry[] = []
  const started = (entry: Entry): void => {
    running.push(entry)
  }
  let turn = 0
  const ask = (): void => void Promise.resolve(gate.acquire(work[turn++ % TENANTS])).then(started)
  for (let i = 0; i < waiting + 8; i++) ask()
  return async () => {
    ask()
    const entry = running.pop()
    if (entry?.accepted) entry.success()
    else if (turn > waiting + 100) throw new Error('Nothing runs.')
    await undefined
  }
}

/** The same gate with every slot taken. */
export const fullGate = (): (() => void) => {
  const gate = gateWith(
    settingsOf({ rate: 1e9, burst: 1e9, concurrency: 1_000 }, TENANTS, {
      concurrency: { algorithm: 'fixed', floor: 1, initial: 8, ceiling: 8 },
    }),
  )
  const work = workload()
  for (let i = 0; i < 8; i++) gate.tryAcquire(work[i])
  let turn = 0
  return () => {
    if (gate.tryAcquire(work[turn]).accepted) throw new Error('Accepted past the limit.')
    turn = turn + 1 < TENANTS ? turn + 1 : 0
  }
}

/** Touches a tenant that has a quota of its own kind by default; used for what an idle one holds. */
export const tenantToucher = (count: number): ((key: number) => void) => {
  const gate = new Gate({
    name: 'checkout',
    runtime,
    settings: {
      ...settingsOf({}, 0),
      tenants: { ...DEFAULT_TENANTS, default: { rate: 1e6, burst: 1e6, concurrency: 100, weight: 1 } },
    },
    maxTenants: count + 10,
  })
  return (key) => {
    const entry = gate.tryAcquire({ tenant: `touched-${key}` })
    if (entry.accepted) entry.success()
  }
}

/** The handler is the peers' own no-op, which makes a promise. */
export const runGate = (): (() => Promise<unknown>) => {
  const gate = gateWith(settingsOf({ rate: 1e9, burst: 1e9, concurrency: 1_000 }))
  const work = workload()
  let turn = 0
  return () => gate.run(work[turn++ % TENANTS] ?? {}, noOp)
}

const dependency = (): Dependency => {
  const payments = new Dependency('payments', runtime)
  const policy = document.dependencies.payments
  if (!policy) throw new Error('The document has no dependency.')
  payments.apply({ policy, revision: 1 })
  return payments
}

/** A call with deadline, timeout, breaker, ceiling and budget; its signal unread. */
export const call = (): (() => Promise<unknown>) => {
  const payments = dependency()
  return () => payments.call(noOp, { idempotent: true, deadlineMs: 1_000 })
}

/** The same with its signal read. */
export const callReadingSignal = (): (() => Promise<unknown>) => {
  const payments = dependency()
  return () => payments.call(async ({ signal }) => signal.aborted, { idempotent: true, deadlineMs: 1_000 })
}
