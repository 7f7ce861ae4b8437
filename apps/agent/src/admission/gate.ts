import { CRITICALITIES, type Criticality, LIMITS, type Mode } from '@weir/policy/model'
import type { GateReport } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import type { FigureSink, FigureSource } from '../core/figures.ts'
import { NO_SAMPLES, type Sampler } from '../core/sampling.ts'
import { Alarm } from './alarm.ts'
import { ACCEPTED, Books, CANCELLED_WAITING, OFFERED, refusedCell, wouldCell } from './books.ts'
import { AcceptedWork, heldPermit, runAs } from './context.ts'
import { Desk } from './desk.ts'
import { FreePermit, NestedPermit } from './free-permit.ts'
import { gaugesOf } from './gauges.ts'
import { Judge } from './judge.ts'
import { type LimitWatch, LiveLimit } from './limit-live.ts'
import { Line } from './line.ts'
import { Mishaps } from './mishaps.ts'
import type { GateOptions, GateSettings, Pressure, RunContext } from './options.ts'
import { type ClassRules, classOf, classRules, costOf, remainingOf } from './reading.ts'
import { DRAINING, LIMIT_REACHED, WAIT } from './reasons.ts'
import { RefusalTable } from './refusals.ts'
import { RefusedError } from './refused.ts'
import { Resources } from './resource.ts'
import { gateSample, SampledPermit, sampled } from './sampled.ts'
import { SteadyClock } from './steady-clock.ts'
import type { Tenant } from './tenant.ts'
import { Tenants } from './tenants.ts'
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
  readonly #books: Books
  readonly #desk: Desk
  readonly #line: Line
  readonly #alarm: Alarm
  readonly #judge: Judge
  readonly #sampler: Sampler
  #settings: GateSettings
  #mode: Mode
  #classes: ClassRules
  #refusals: RefusalTable

  constructor(options: GateOptions) {
    const { name, runtime, settings } = options
    this.name = name
    this.#runtime = runtime
    this.#mishaps = new Mishaps(name, runtime)
    this.#clock = new SteadyClock(runtime.clock, (error) => this.#mishaps.fault(error))
    this.#override = options.modeOverride ?? null
    this.#sampler = options.sampler ?? NO_SAMPLES
    this.#settings = settings
    this.#mode = this.#override ?? settings.policy.mode
    this.#classes = classRules(settings.policy.classes)
    this.#refusals = this.#tableOf(settings)
    const resources = options.resources ?? new Resources()
    const { resource } = settings.policy
    this.#tenants = new Tenants(resources, resource, settings, options.maxTenants ?? 10_000, this.#clock.now())
    this.#books = new Books(name, options.tenantLabels ?? 50, this.#tenants, settings.revision)
    const limit = new LiveLimit(settings.policy.concurrency, this, runtime.random, this.#mishaps)
    this.#alarm = new Alarm(this.#clock, runtime.timers, (nowMs) => this.#ring(nowMs))
    this.#desk = new Desk(name, this.#clock, this.#mishaps, this.#books, this.#alarm, limit, settings.policy, (nowMs) =>
      this.#line.pump(nowMs),
    )
    this.#line = new Line(
      this.#clock,
      this.#desk,
      this.#books,
      this.#alarm,
      settings.policy,
      this.#mode,
      this.#refusals,
      this,
    )
    this.#judge = new Judge(this.#mode, this.#clock, this.#desk, this.#line, this)
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
  async run<T>(work: Work, handler: (context: RunContext) => Promise<T> | T): Promise<T> {
    const signal = work.signal
    const entry = await this.acquire(work)
    if (!entry.accepted) throw entry.reason === 'cancelled' && signal ? signal.reason : new RefusedError(entry)
    const left = () => entry.cancel()
    signal?.addEventListener('abort', left, { once: true })
    try {
      if (signal?.aborted) {
        entry.cancel()
        throw signal.reason
      }
      const value = await this.within(work, entry, () => handler(entry))
      entry.success()
      return value
    } catch (error) {
      entry.failure()
      throw error
    } finally {
      signal?.removeEventListener('abort', left)
    }
  }

  /** Runs `fn` as part of accepted work: inside it this gate is held, and calls to others find whose work they are. Does not end the permit. */
  within<T>(work: Work, permit: Permit, fn: () => T): T {
    const deadlineAt = this.#clock.now() + permit.remainingMs
    const traceparent = permit instanceof SampledPermit ? permit.traceparent : work.traceparent
    return runAs(this, permit, new AcceptedWork(permit, deadlineAt, this.#classOf(work), work, traceparent), fn)
  }

  /** Obeys new settings at once and keeps all state: what runs, waits, was counted and was used. */
  apply(settings: GateSettings): void {
    const refusals = this.#tableOf(settings)
    const nowMs = this.#clock.now()
    this.#tenants.apply(settings.policy.resource, settings, nowMs)
    this.#books.setRevision(settings.revision)
    this.#settings = settings
    this.#mode = this.#override ?? settings.policy.mode
    this.#classes = classRules(settings.policy.classes)
    this.#refusals = refusals
    this.#desk.obey(settings.policy, nowMs)
    this.#line.obey(settings.policy, this.#mode, refusals)
    this.#judge.obey(this.#mode)
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
      mode: this.#mode,
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
    if (this.#mode !== 'off') gaugesOf(this.report(), sink)
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
    if (this.#mode === 'off') return this.#free(work.deadlineMs)
    const held = heldPermit(this)
    if (held) return new NestedPermit(held)
    if (this.#mode === 'observe' && this.#desk.slots.inUse >= LIMITS.slots) return this.#free(work.deadlineMs)
    const adjustedCount = this.#sampler.next()
    if (adjustedCount === 0) return this.#decide(work, mayWait)
    const start = gateSample(work, this.#classOf(work), this.#settings, this.report(), adjustedCount)
    const sample = this.#sampler.begin(start)
    return sampled(this.#decide(work, mayWait), sample)
  }

  #decide(work: Work, mayWait: boolean): Entry | Promise<Entry> {
    const klass = classOf(work.criticality, !!work.caller, this.#classes)
    const remainingMs = remainingOf(work.deadlineMs, this.#settings.policy.deadline)
    const cost = costOf(work.cost)
    const { route, signal } = work
    const found = this.#tenants.find(work.tenant, this.#clock)
    const tenant = found ?? this.#tenants.other
    if (signal?.aborted) return this.#left(tenant, klass)
    const verdict = this.#judge.verdict(found, klass, remainingMs, cost, mayWait)
    const enforced = this.#mode === 'enforce'
    if (verdict >= 0 && enforced) return this.#refuse(tenant, klass, verdict)
    const nowMs = this.#clock.now()
    const deadlineMs = nowMs + remainingMs
    if (verdict === WAIT && enforced) return this.#line.join(tenant, klass, cost, nowMs, deadlineMs, route, signal)
    this.#books.countBoth(tenant, klass, OFFERED, ACCEPTED)
    if (verdict >= 0) this.#books.count(tenant, klass, wouldCell(verdict))
    else tenant.take(cost, nowMs)
    return this.#desk.start(tenant, klass, nowMs, nowMs, deadlineMs, verdict < 0, route)
  }

  #classOf(work: Work): Criticality {
    return CRITICALITIES[classOf(work.criticality, !!work.caller, this.#classes)] ?? 'sheddable'
  }

  #refuse(tenant: Tenant, klass: number, reason: number): Refusal {
    this.#books.countBoth(tenant, klass, OFFERED, refusedCell(reason))
    return this.#refusals.next(reason)
  }

  #left(tenant: Tenant, klass: number): Refusal {
    this.#books.countBoth(tenant, klass, OFFERED, CANCELLED_WAITING)
    return this.#refusals.cancelled
  }

  #free(deadlineMs?: number): Permit {
    const remainingMs = remainingOf(deadlineMs, this.#settings.policy.deadline)
    return new FreePermit(this.#clock, this.#clock.now() + remainingMs)
  }

  /** A fault of ours, or work that cannot be read: accepted under the hard ceiling, as work that names nothing. */
  #afterFault(error: unknown): Entry {
    this.#mishaps.fault(error)
    if (this.#mode === 'off') return this.#free()
    const { concurrency, deadline } = this.#settings.policy
    const tenant = this.#tenants.none
    const klass = this.#classes.default
    const ceiling = Math.max(concurrency.ceiling, this.#desk.limit.slots)
    if (this.#mode === 'enforce' && this.#desk.slots.inUse >= ceiling) return this.#refuse(tenant, klass, LIMIT_REACHED)
    this.#books.countBoth(tenant, klass, OFFERED, ACCEPTED)
    const nowMs = this.#clock.now()
    return this.#desk.start(tenant, klass, nowMs, nowMs, nowMs + deadline.defaultMs, false, undefined)
  }

  #ring(nowMs: number): number {
    try {
      this.#line.expire(nowMs)
      this.#desk.sweep(nowMs)
      this.#line.pump(nowMs)
    } catch (error) {
      this.#mishaps.fault(error)
    }
    return Math.min(this.#line.dueMs, this.#desk.dueMs)
  }

  #tableOf(settings: GateSettings): RefusalTable {
    return new RefusalTable(this.name, settings.revision, settings.policy.retryAfter, this.#runtime.random)
  }
}
