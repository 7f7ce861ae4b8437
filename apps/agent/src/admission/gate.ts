import type { Mode } from '@weir/policy/model'
import type { GateReport } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import { runInScope } from '../core/context.ts'
import type { FigureSink, FigureSource } from '../core/figures.ts'
import { NO_SAMPLES } from '../core/sampling.ts'
import { Alarm } from './alarm.ts'
import { Attempts } from './attempts.ts'
import { Books } from './books.ts'
import { Claims } from './claims.ts'
import { AcceptedWork } from './context.ts'
import { type Credits, Pulls } from './credits.ts'
import {
  type DeferJob,
  type DeferOptions,
  type DeferPort,
  Deferral,
  type Deferred,
  Deferring,
  type MakeJob,
} from './deferral.ts'
import { Desk } from './desk.ts'
import { Door, MAY_DEFER, MAY_WAIT, NOW, wordOfClass } from './door.ts'
import { gaugesOf } from './gauges.ts'
import { Judge } from './judge.ts'
import { type LimitWatch, LiveLimit } from './limit-live.ts'
import { Line } from './line.ts'
import { Mishaps } from './mishaps.ts'
import type { GateOptions, GateSettings, Pressure, RunContext } from './options.ts'
import { SlotPermit } from './permit.ts'
import { DRAINING } from './reasons.ts'
import { RefusalTable } from './refusals.ts'
import { Resources } from './resource.ts'
import { Rules } from './rules.ts'
import { runIn } from './run.ts'
import { SampledPermit } from './sampled.ts'
import { SteadyClock } from './steady-clock.ts'
import { Tenants } from './tenants.ts'
import { type Explanation, Trail } from './trail.ts'
import type { Entry, Permit, Work } from './work.ts'

export type { Credits } from './credits.ts'
export type { DeferJob, DeferOptions, DeferPort, Deferred, DeferredWork, MakeJob } from './deferral.ts'
export type { GateOptions, GateSettings, RunContext } from './options.ts'
export type { Explanation } from './trail.ts'
export type { Entry, Permit, Refusal, Work } from './work.ts'

const NOTHING_SAID: Work = {}
/** Demand that finds a slot free and may not have it looks again after so long. */
const PULL_AGAIN_MS = 100

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
  readonly #deferral: Deferral
  readonly #pulls = new Pulls()
  readonly #trail: Trail
  readonly #door: Door
  #rules: Rules

  constructor(options: GateOptions) {
    const { name, runtime, settings } = options
    const { policy, revision } = settings
    this.name = name
    this.#runtime = runtime
    this.#mishaps = new Mishaps(name, runtime)
    this.#clock = new SteadyClock(runtime.clock, (error) => this.#mishaps.fault(error))
    this.#override = options.modeOverride ?? null
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
    this.#desk = new Desk(parts, this.#rules, limit, () => this.#freed())
    this.#deferral = new Deferral(parts, runtime.timers)
    this.#line = new Line(parts, this.#rules, this.#desk, this.#deferral)
    this.#judge = new Judge(parts, this.#rules, this.#desk, this.#line)
    this.#door = new Door(this, this.#rules, {
      parts,
      tenants: this.#tenants,
      claims: this.#claims,
      attempts: this.#attempts,
      desk: this.#desk,
      line: this.#line,
      judge: this.#judge,
      deferral: this.#deferral,
      trail: this.#trail,
      sampler: options.sampler ?? NO_SAMPLES,
    })
  }

  /** Decides now: a permit, or a refusal. Never waits. */
  tryAcquire(work: Work = NOTHING_SAID): Entry {
    try {
      return this.#door.enter(work, NOW) as Entry
    } catch (error) {
      return this.#afterFault(error)
    }
  }

  /** As `tryAcquire`, but where all slots are taken it waits in the queue, if the queue lets it in. The promise never rejects. */
  acquire(work: Work = NOTHING_SAID): Entry | Promise<Entry> {
    try {
      return this.#door.enter(work, MAY_WAIT)
    } catch (error) {
      return this.#afterFault(error)
    }
  }

  /**
   * As `acquire`, but work that there is no room for is made durable by the port of `deferTo`, and answered once it is: `deferred`, or a refusal
   * `defer-failed`. Work past its tenant's share or its deadline is refused as ever. `job` is what is kept of it, or makes that once it is wanted.
   * The promise never rejects.
   */
  async acquireOrDefer(work: Work, job: DeferJob | MakeJob): Promise<Entry | Deferred> {
    try {
      const { tenant } = work
      const entry = await this.#door.enter(work, MAY_DEFER)
      return entry instanceof Deferring ? await this.#deferral.enqueue(entry, tenant, job, this.#rules.refusals) : entry
    } catch (error) {
      return this.#afterFault(error)
    }
  }

  /** Where `acquireOrDefer` makes work durable; `null`, as at first: nowhere, it is refused. */
  deferTo(port: DeferPort | null, options: DeferOptions = {}): void {
    this.#deferral.to(port, options)
  }

  /**
   * For consumers that fetch their work: `take` is handed one permit for each that was requested, as soon as there is a slot that nobody waits for.
   * Nothing is fetched that could not run, so the limit holds whatever the mode. What `take` throws ends its permit badly.
   */
  credits(work: Work, take: (permit: Permit) => void): Credits {
    const pull = () => this.#door.pull(work)
    return this.#pulls.open(pull, take, this.#serve, (error) => this.#mishaps.fault(error))
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
    const traceparent = permit instanceof SampledPermit ? permit.traceparent : work.traceparent
    const inner = permit instanceof SampledPermit ? permit.inner : permit
    const live = inner instanceof SlotPermit && inner.live
    const klass = live ? inner.klass : this.#claims.read(work)
    const deadlineAt = live ? inner.deadlineAt : this.#clock.now() + permit.remainingMs
    return runInScope(new AcceptedWork(this, permit, deadlineAt, wordOfClass(klass), work, traceparent), fn)
  }

  /** Obeys new settings at once and keeps all state: what runs, waits, was counted and was used. */
  apply(settings: GateSettings): void {
    const rules = this.#rulesOf(settings)
    const nowMs = this.#clock.now()
    this.#tenants.apply(settings.policy.resource, settings, nowMs)
    this.#books.setRevision(settings.revision)
    this.#rules = rules
    this.#claims.obey(settings.policy.classes)
    this.#desk.obey(rules, nowMs)
    this.#line.obey(rules)
    this.#judge.obey(rules)
    this.#door.obey(rules)
    this.#freed()
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
    this.#deferral.close()
    this.#pulls.close()
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
    this.#trail.narrow()
    this.#desk.wait.collect(sink, 'weir.gate.queue.wait', attributes)
    this.#desk.duration.collect(sink, 'weir.gate.duration', attributes)
    if (this.#rules.mode !== 'off') gaugesOf(this.report(), this.#deferral.deferring, sink)
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

  #afterFault(error: unknown): Entry {
    this.#mishaps.fault(error)
    return this.#door.enterBlind()
  }

  #ring(nowMs: number): number {
    try {
      this.#line.expire(nowMs)
      this.#desk.sweep(nowMs)
      this.#freed()
    } catch (error) {
      this.#mishaps.fault(error)
    }
    return Math.min(this.#line.dueMs, this.#desk.dueMs)
  }

  /** At the clock's last reading. */
  #freed(): void {
    const nowMs = this.#clock.lastMs
    if (nowMs >= this.#attempts.lookAtMs) this.#attempts.look(nowMs)
    if (this.#line.size > 0 || this.#desk.slots.classes.idle > 0) this.#line.pump(nowMs)
    if (this.#pulls.wanting) this.#serve()
  }

  /** Hands slots that nobody waits for to those that fetch. Where one stays free all the same, a tenant's rate for one, it looks again. */
  readonly #serve = (): void => {
    this.#pulls.serve()
    const { slots, limit } = this.#desk
    if (this.#pulls.wanting && slots.inUse < limit.slots) this.#alarm.noLaterThan(this.#clock.now() + PULL_AGAIN_MS)
  }

  #rulesOf({ policy, revision }: GateSettings): Rules {
    const refusals = new RefusalTable(this.name, revision, policy.retryAfter, this.#runtime.random, this.#attempts)
    return new Rules(policy, revision, this.#override ?? policy.mode, refusals)
  }
}
