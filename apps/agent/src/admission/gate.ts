import { CRITICALITIES, type Criticality, LIMITS, type Mode } from '@weir/policy/model'
import type { GateReport } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import type { FigureSink, FigureSource } from '../core/figures.ts'
import { NO_SAMPLES, type Sampler } from '../core/sampling.ts'
import { Alarm } from './alarm.ts'
import { Attempts } from './attempts.ts'
import { ACCEPTED, Books, CANCELLED_WAITING, OFFERED, refusedCell, wouldCell } from './books.ts'
import { Claims } from './claims.ts'
import { AcceptedWork, heldPermit, runAs } from './context.ts'
import { Desk } from './desk.ts'
import { FreePermit, NestedPermit } from './free-permit.ts'
import { gaugesOf } from './gauges.ts'
import { Judge } from './judge.ts'
import { type LimitWatch, LiveLimit } from './limit-live.ts'
import { Line } from './line.ts'
import { Mishaps } from './mishaps.ts'
import type { GateOptions, GateSettings, Pressure, RunContext } from './options.ts'
import { SlotPermit } from './permit.ts'
import { costOf, remainingOf } from './reading.ts'
import { DRAINING, LIMIT_REACHED, WAIT } from './reasons.ts'
import { RefusalTable } from './refusals.ts'
import { Resources } from './resource.ts'
import { Rules } from './rules.ts'
import { runIn } from './run.ts'
import { gateSample, SampledPermit, sampled } from './sampled.ts'
import { SteadyClock } from './steady-clock.ts'
import type { Tenant } from './tenant.ts'
import { Tenants } from './tenants.ts'
import { type Explanation, Trail } from './trail.ts'
import type { Entry, Permit, Refusal, Work } from './work.ts'

export type { GateOptions, GateSettings, RunContext } from './options.ts'
export type { Entry, Permit, Refusal, Work } from './work.ts'

const NOTHING_SAID: Work = {}

/**
 * The admission point in front of one scarce resource of this process. Decides in memory, at once, by the last settings that it was given;
 * no method throws or rejects for a reason of the gate's own, but `run`, whose handler did not run.
 */
export class Gate implements FigureSource, Pressure {
  readonly name: string
  /** Overload level, 0 = none to 4: level n sheds the n lowest classes. Set by whoever reads the capacity signals. */
  level = 0
  /** Event-loop delay, milliseconds, added to predicted waits; 0 while unknown. Set by whoever reads the capacity signals. */
  delayMs = 0
  readonly #runtime: Runtime
  readonly #mishaps: Mishaps
  readonly #clock: SteadyClock
  readonly #override: Mode | null
  readonly #tenants: Tenants
  readonly #claims: Claims
  readonly #attempts = new Attempts()
  readonly #books: Books
  readonly #desk: Desk
  readonly #line: Line
  readonly #alarm: Alarm
  readonly #judge: Judge
  readonly #sampler: Sampler
  readonly #trail: Trail
  #settings: GateSettings
  #rules: Rules

  constructor(options: GateOptions) {
    const { name, runtime, settings } = options
    const { policy, revision } = settings
    this.name = name
    this.#runtime = runtime
    this.#mishaps = new Mishaps(name, runtime)
    this.#clock = new SteadyClock(runtime.clock, (error) => this.#mishaps.fault(error))
    this.#override = options.modeOverride ?? null
    this.#sampler = options.sampler ?? NO_SAMPLES
    this.#settings = settings
    this.#rules = this.#rulesOf(settings)
    this.#claims = new Claims(policy.classes)
    this.#trail = new Trail(name, options.explainAll)
    const resources = options.resources ?? new Resources()
    this.#tenants = new Tenants(resources, policy.resource, settings, options.maxTenants ?? 10_000, this.#clock.now())
    this.#books = new Books(name, options.tenantLabels ?? 50, this.#tenants, revision)
    const limit = new LiveLimit(policy.concurrency, this, runtime.random, this.#mishaps)
    this.#alarm = new Alarm(this.#clock, runtime.timers, (nowMs) => this.#ring(nowMs))
    const [clock, mishaps, books, alarm] = [this.#clock, this.#mishaps, this.#books, this.#alarm]
    const parts = { name, clock, mishaps, books, alarm, pressure: this }
    this.#desk = new Desk(parts, this.#rules, limit, (nowMs) => this.#freed(nowMs))
    this.#line = new Line(parts, this.#rules, this.#desk)
    this.#judge = new Judge(parts, this.#rules, this.#desk, this.#line)
  }

  /** Decides now: a permit, or a refusal. Never waits. */
  tryAcquire(work: Work = NOTHING_SAID): Entry {
    try {
      return this.#enter(work, false) as Entry
    } catch (error) {
      return this.#afterFault(error)
    }
  }

  /** As `tryAcquire`, but where all slots are taken it waits in the queue, if the queue lets it in. The promise never rejects. */
  acquire(work: Work = NOTHING_SAID): Entry | Promise<Entry> {
    try {
      return this.#enter(work, true)
    } catch (error) {
      return this.#afterFault(error)
    }
  }

  /**
   * Runs the handler when the work was accepted: a value ends it well, a throw badly, both with the slot held until then.
   * @throws {RefusedError} when it was refused, `signal.reason` when the caller left before it started; the handler has not run.
   */
  run<T>(work: Work, handler: (context: RunContext) => Promise<T> | T): Promise<T> {
    return runIn(this, work, handler)
  }

  /** Runs `fn` as part of accepted work: inside it this gate is held, and calls to others find whose work they are. Does not end the permit. */
  within<T>(work: Work, permit: Permit, fn: () => T): T {
    const deadlineAt = this.#clock.now() + permit.remainingMs
    const traceparent = permit instanceof SampledPermit ? permit.traceparent : work.traceparent
    const inner = permit instanceof SampledPermit ? permit.inner : permit
    const klass = inner instanceof SlotPermit && inner.live ? inner.klass : this.#claims.read(work)
    return runAs(this, permit, new AcceptedWork(permit, deadlineAt, wordOfClass(klass), work, traceparent), fn)
  }

  /** Obeys new settings at once and keeps all state: what runs, waits, was counted and was used. */
  apply(settings: GateSettings): void {
    const rules = this.#rulesOf(settings)
    const nowMs = this.#clock.now()
    this.#tenants.apply(settings.policy.resource, settings, nowMs)
    this.#books.setRevision(settings.revision)
    this.#settings = settings
    this.#rules = rules
    this.#claims.obey(settings.policy.classes)
    this.#desk.obey(rules, nowMs)
    this.#line.obey(rules)
    this.#judge.obey(rules)
    this.#line.pump(nowMs)
    this.#alarm.noLaterThan(Math.min(this.#line.dueMs, this.#desk.dueMs))
  }

  /** New work is refused from now on; what runs and waits goes on. */
  drain(): void {
    this.#judge.draining = true
  }

  /** Refuses those that wait, and leaves no timer. Permits can still be ended. */
  close(): void {
    this.#judge.draining = true
    const nowMs = this.#clock.now()
    this.#line.clear(DRAINING, nowMs)
    this.#tenants.close(nowMs)
    this.#alarm.close()
  }

  report(): GateReport {
    const { active, zombies } = this.#desk.slots
    const limit = this.#desk.limit.slots
    const oldestAgeMs = this.#line.oldestAgeMs(this.#clock.now())
    return {
      name: this.name,
      mode: this.#rules.mode,
      limit,
      active,
      zombies,
      waiting: this.#line.size,
      oldestAgeMs,
      level: this.level,
    }
  }

  /** Hands over what happened since the last time; a gate that is off has no gauges. */
  collect(sink: FigureSink): void {
    const attributes = { gate: this.name }
    this.#books.collect(sink)
    this.#desk.wait.collect(sink, 'weir.gate.queue.wait', attributes)
    this.#desk.duration.collect(sink, 'weir.gate.duration', attributes)
    if (this.#rules.mode !== 'off') gaugesOf(this.report(), sink)
  }

  /** The latest of the sampled decisions, each with all that decided it, latest first: at most 64, refusals preferred. */
  explain(): Explanation[] {
    return this.#trail.explain()
  }

  /** The limit, to be listened to. */
  get limit(): LimitWatch {
    return this.#desk.limit
  }

  get mishaps(): Readonly<Mishaps> {
    return this.#mishaps
  }

  /** Tenants that are told apart at present. */
  get trackedTenants(): number {
    return this.#tenants.size
  }

  /** All that the host could break is read before anything is counted. The clock is asked only where a decision needs it. */
  #enter(work: Work, mayWait: boolean): Entry | Promise<Entry> {
    const { mode } = this.#rules
    if (mode === 'off') return this.#free(work.deadlineMs)
    const held = heldPermit(this)
    if (held) return new NestedPermit(held)
    if (mode === 'observe' && this.#desk.slots.inUse >= LIMITS.slots) return this.#free(work.deadlineMs)
    const adjustedCount = this.#sampler.next()
    if (adjustedCount === 0) return this.#decide(work, mayWait)
    const criticality = wordOfClass(this.#claims.read(work))
    const sample = this.#sampler.begin(gateSample(work, criticality, this.#settings, this.report(), adjustedCount))
    return sampled(this.#decide(work, mayWait), sample)
  }

  #decide(work: Work, mayWait: boolean): Entry | Promise<Entry> {
    const { policy, enforced } = this.#rules
    const klass = this.#claims.take(work)
    const remainingMs = remainingOf(work.deadlineMs, policy.deadline)
    const cost = costOf(work.cost)
    const { route, signal } = work
    if (work.caller) this.#attempts.count(work.attempt)
    const found = this.#tenants.find(work.tenant, this.#clock)
    const tenant = found ?? this.#tenants.other
    if (signal?.aborted) return this.#left(tenant, klass)
    const verdict = this.#judge.verdict(found, klass, remainingMs, cost, mayWait)
    if (this.#trail.keeps(verdict)) {
      this.#trail.begin(verdict, tenant.name, route)
      this.#judge.put(this.#trail, found, klass, remainingMs, cost, mayWait)
    }
    if (verdict >= 0 && enforced) return this.#refuse(tenant, klass, verdict)
    const nowMs = this.#clock.now()
    const deadlineMs = nowMs + remainingMs
    if (verdict === WAIT && enforced) return this.#line.join(tenant, klass, cost, nowMs, deadlineMs, route, signal)
    this.#books.countBoth(tenant, klass, OFFERED, ACCEPTED)
    if (verdict >= 0) this.#books.count(tenant, klass, wouldCell(verdict))
    else tenant.take(cost, nowMs)
    return this.#desk.start(tenant, klass, nowMs, nowMs, deadlineMs, verdict < 0, route)
  }

  #refuse(tenant: Tenant, klass: number, reason: number): Refusal {
    this.#books.countBoth(tenant, klass, OFFERED, refusedCell(reason))
    return this.#rules.refusals.next(reason)
  }

  #left(tenant: Tenant, klass: number): Refusal {
    this.#books.countBoth(tenant, klass, OFFERED, CANCELLED_WAITING)
    return this.#rules.refusals.cancelled
  }

  #free(deadlineMs?: number): Permit {
    const remainingMs = remainingOf(deadlineMs, this.#settings.policy.deadline)
    return new FreePermit(this.#clock, this.#clock.now() + remainingMs)
  }

  /** A fault of ours, or work that cannot be read: accepted under the hard ceiling, as work that names nothing. */
  #afterFault(error: unknown): Entry {
    this.#mishaps.fault(error)
    if (this.#rules.mode === 'off') return this.#free()
    const { concurrency, deadline } = this.#settings.policy
    const tenant = this.#tenants.none
    const klass = this.#claims.default
    const ceiling = Math.max(concurrency.ceiling, this.#desk.limit.slots)
    if (this.#rules.enforced && this.#desk.slots.inUse >= ceiling) return this.#refuse(tenant, klass, LIMIT_REACHED)
    this.#books.countBoth(tenant, klass, OFFERED, ACCEPTED)
    const nowMs = this.#clock.now()
    return this.#desk.start(tenant, klass, nowMs, nowMs, nowMs + deadline.defaultMs, false, undefined)
  }

  #ring(nowMs: number): number {
    try {
      this.#line.expire(nowMs)
      this.#desk.sweep(nowMs)
      this.#freed(nowMs)
    } catch (error) {
      this.#mishaps.fault(error)
    }
    return Math.min(this.#line.dueMs, this.#desk.dueMs)
  }

  #freed(nowMs: number): void {
    this.#attempts.look(nowMs)
    this.#line.pump(nowMs)
  }

  #rulesOf({ policy, revision }: GateSettings): Rules {
    const refusals = new RefusalTable(this.name, revision, policy.retryAfter, this.#runtime.random, this.#attempts)
    return new Rules(policy, revision, this.#override ?? policy.mode, refusals)
  }
}

const wordOfClass = (klass: number): Criticality => CRITICALITIES[klass] ?? 'sheddable'
