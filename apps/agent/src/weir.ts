import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Report, WIRE } from '@weir/wire/model'
import { Gate } from './admission/gate.ts'
import { Resources } from './admission/resource.ts'
import type { Consumer } from './consumer/consumer.ts'
import { Consumers } from './consumer/consumers.ts'
import type { Runtime } from './core/clock.ts'
import type { FigureSink } from './core/figures.ts'
import { realClock, realTimers } from './core/real.ts'
import { report } from './core/report.ts'
import { NO_SAMPLES, type Sampler } from './core/sampling.ts'
import { Handles } from './handles.ts'
import { nodeHttp } from './http.ts'
import { dependencySettings, maxAgeMs } from './in-force.ts'
import { Leases } from './leases/leases.ts'
import type { ControlLink } from './link.ts'
import { nodeMachine } from './machine.ts'
import { type Meter, makeMeter } from './meter.ts'
import { readOptions, type Settings, type WeirOptions } from './options.ts'
import { Dependency } from './outbound/dependency.ts'
import type { Policies } from './policy/standing.ts'
import { Seal } from './seal.ts'
import { Shared } from './shared.ts'
import { NodeReaders } from './signals/process.ts'
import { Signals } from './signals/signals.ts'
import { Disk } from './source/disk.ts'
import { type Loaded, load, loadLocal, within } from './start.ts'
import type { WeirStatus } from './status.ts'
import { edgeSink } from './telemetry/edge.ts'
import type { Resource } from './telemetry/otlp.ts'
import { VERSION } from './version.ts'

/** Last words: `bye` and the last figures together, milliseconds. */
const CLOSE_WITHIN_MS = 2_000
/** What was cut off then settles within this. */
const CUT_WITHIN_MS = 250
/** How often a drain looks whether work is left, milliseconds. */
const DRAIN_LOOK_MS = 20

/**
 * The agent of one process. `start` never throws and never waits for the network: the process decides with the best policy at hand, and obeys a better
 * one as soon as it arrives.
 */
export class Weir {
  readonly #settings: Settings
  readonly #boot = randomUUID()
  readonly #runtime: Runtime
  readonly #state: Policies
  readonly #http = nodeHttp()
  readonly #seal: Seal
  readonly #disk: Disk | null
  readonly #link: ControlLink | null
  readonly #resources = new Resources()
  readonly #gates: Handles<Gate>
  readonly #dependencies: Handles<Dependency>
  readonly #consumers: Consumers
  readonly #signals: Signals
  #meter: Meter | null = null
  readonly #shared: Shared
  #draining = false
  #closing: Promise<void> | null = null

  private constructor(settings: Settings, runtime: Runtime, { state, ControlLink }: Loaded) {
    this.#settings = settings
    this.#state = state
    this.#seal = new Seal(settings.contextKeys, () => this.#link?.welcome?.service ?? settings.service ?? '')
    this.#runtime = { ...runtime, seal: this.#seal.put }
    const complain = (message: string) => runtime.onError(new Error(message), 'weir')
    this.#gates = new Handles('gate', (name) => this.#makeGate(name), complain)
    this.#dependencies = new Handles('dependency', (name) => this.#makeDependency(name), complain)
    this.#consumers = new Consumers(runtime, Date.now)
    this.#signals = new Signals(runtime, new NodeReaders(nodeMachine()))
    const { link, snapshots } = settings
    this.#disk =
      link === null || snapshots === null
        ? null
        : new Disk({ ...snapshots, key: link.key, onError: (error) => runtime.onError(error, 'disk') })
    const leases = link && ControlLink ? new Leases(WIRE.leaseRefreshMs, runtime.random) : null
    this.#shared = new Shared(state, leases)
    this.#link = link && ControlLink && leases ? this.#connect({ ...settings, link }, leases, ControlLink) : null
  }

  /** Resolves at once. Bad options are told to `onError`; the process then runs on the next best policy, at worst the built-in one, which refuses nothing. */
  static async start(options: WeirOptions = {}): Promise<Weir> {
    const given = options ?? {}
    const { settings, problems } = readOptions(given, process.env)
    const sink = typeof given.onError === 'function' ? given.onError : () => undefined
    const base = { clock: realClock, timers: realTimers, random: Math.random, onError: sink }
    const runtime: Runtime = { ...base, onError: (error, where) => report(base, error, where) }
    for (const problem of problems) runtime.onError(new Error(problem), 'options')
    const loaded = await load(settings, (error) => runtime.onError(error, 'start'))
    const weir = new Weir(settings, runtime, loaded)
    try {
      await weir.#begin(loaded)
    } catch (error) {
      runtime.onError(error, 'start')
    }
    return weir
  }

  /** The gate of this name, made when first asked for. A gate that the policy does not name observes: it counts and refuses nothing. */
  gate(name: string): Gate {
    return this.#gates.get(name)
  }

  /** The dependency of this name, made when first asked for. One that the policy does not name observes. */
  dependency(name: string): Dependency {
    return this.#dependencies.get(name)
  }

  /** Whether these headers' context bears the proof of this environment's `contextKey`: the service that says so, perhaps unnamed; else `null`. */
  sealedBy(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
    return this.#seal.by(headers)
  }

  /** One more consumer that feeds this gate with the messages of a topic, for whoever knows the broker. Close it where its work ends. */
  consumer(gate: string, topic: string): Consumer {
    const fed = this.gate(gate)
    return this.#consumers.open(fed, topic, () => maxAgeMs(this.#state, fed.name))
  }

  /** Hands in how long work waits for a connection of this pool, milliseconds: read a few times a second. Returns the way to end it. */
  gauge(pool: string, waitMs: () => number): () => void {
    return this.#signals.connections(pool, waitMs)
  }

  status(): WeirStatus {
    const { source, identity } = this.#state.standing
    const welcome = this.#link?.welcome
    return {
      instance: this.#settings.instance,
      environment: welcome?.environment ?? this.#settings.environment,
      service: welcome?.service ?? this.#settings.service,
      connected: this.#link?.connected ?? false,
      source,
      policy: identity,
      refused: this.#state.settled.refused,
      modeOverride: this.#settings.mode,
      split: this.#shared.split,
      scales: this.#shared.scales,
      uncounted: this.#shared.uncounted,
      leases: this.#shared.status(this.#runtime.clock.now()),
      ...this.#states(),
    }
  }

  /** On SIGTERM, before the server closes: new work is refused with `draining`, what runs and waits goes on. Resolves when none is left, `ms` at the latest. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    this.#consumers.end()
    for (const [, gate] of this.#gates.all) gate.drain()
    const until = realClock.now() + ms
    const busy = () => this.#states().gates.some(({ active, zombies, waiting }) => active + zombies + waiting > 0)
    while (busy() && realClock.now() < until && this.#closing === null) await delay(DRAIN_LOOK_MS)
  }

  /** Says bye, sends the last figures and leaves nothing behind: no timer, no socket, no listener. Bounded to about two seconds. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #begin(loaded: Loaded): Promise<void> {
    const onError = (error: unknown) => this.#runtime.onError(error, 'start')
    const snapshot = await loadLocal(loaded, this.#settings, this.#disk, onError).catch(onError)
    if (snapshot) {
      this.#shared.told(snapshot.split, snapshot.scales ?? {})
      this.#link?.remember(snapshot)
    }
    this.#applyAll()
    // Before the link: its first word is how often to export.
    const meter = makeMeter(this.#settings, {
      runtime: this.#runtime,
      http: this.#http,
      resource: () => this.#resource(),
      collect: (sink) => this.#collect(sink),
    })
    this.#meter = (await meter.catch(onError)) ?? null
    this.#meter?.start()
    this.#link?.start()
  }

  #connect(
    settings: Settings & { readonly link: NonNullable<Settings['link']> },
    leases: Leases,
    Link: NonNullable<Loaded['ControlLink']>,
  ): ControlLink {
    return new Link({
      settings,
      boot: this.#boot,
      runtime: this.#runtime,
      http: this.#http,
      state: this.#state,
      disk: this.#disk,
      onPolicy: () => this.#applyAll(),
      onSplit: (split, scales) => {
        this.#shared.told(split, scales)
        this.#applyAll()
      },
      leases,
      onUncounted: (uncounted) => {
        this.#shared.uncounted = uncounted
        this.#applyAll()
      },
      onExportMs: (exportMs) => this.#meter?.setIntervalMs(exportMs),
      states: () => this.#states(),
    })
  }

  #collect(sink: FigureSink): void {
    const edge = edgeSink(sink)
    for (const [name, gate] of this.#gates.all) gate.collect(this.#shared.gate(name).policy.edge ? edge : sink)
    for (const [, dependency] of this.#dependencies.all) dependency.collect(sink)
    this.#consumers.collect(sink)
  }

  #resource(): Resource {
    const { service, environment, instance } = this.status()
    return { service, environment, instance, boot: this.#boot, version: VERSION }
  }

  #sampler(): Sampler {
    return this.#meter?.sampler() ?? NO_SAMPLES
  }

  #makeGate(name: string): Gate {
    const gate = new Gate({
      name,
      runtime: this.#runtime,
      settings: this.#shared.gate(name),
      resources: this.#resources,
      modeOverride: this.#settings.mode,
      sampler: this.#sampler(),
    })
    if (this.#closing) gate.close()
    else this.#signals.watch(gate, () => this.#shared.gate(name).policy.signals)
    if (this.#draining) gate.drain()
    return gate
  }

  #makeDependency(name: string): Dependency {
    const dependency = new Dependency(name, this.#runtime, this.#sampler())
    dependency.apply(dependencySettings(this.#state, name, this.#settings.mode))
    this.#signals.dependency(name, () => dependency.takeLatencyMs())
    return dependency
  }

  /** One that fails to apply keeps what it had; the others are unharmed. */
  #applyAll(): void {
    const guarded = (what: string, apply: () => void) => {
      try {
        apply()
      } catch (error) {
        this.#runtime.onError(error, what)
      }
    }
    for (const [name, gate] of this.#gates.all) guarded(`gate ${name}`, () => gate.apply(this.#shared.gate(name)))
    for (const [name, dependency] of this.#dependencies.all)
      guarded(`dependency ${name}`, () => dependency.apply(dependencySettings(this.#state, name, this.#settings.mode)))
    guarded('consumers', () => this.#consumers.look())
  }

  #states(): Pick<Report, 'gates' | 'dependencies' | 'consumers'> {
    return {
      gates: Array.from(this.#gates.all, ([, gate]) => gate.report()),
      dependencies: Array.from(this.#dependencies.all, ([, dependency]) => dependency.report()),
      consumers: this.#consumers.reports(),
    }
  }

  async #end(): Promise<void> {
    const bound = setTimeout(() => this.#http.close(), CLOSE_WITHIN_MS)
    try {
      this.#signals.close()
      this.#consumers.end()
      for (const [, gate] of this.#gates.all) gate.close()
      for (const [, dependency] of this.#dependencies.all) dependency.close()
      const last = [
        this.#link?.close('closing', CLOSE_WITHIN_MS),
        this.#meter?.close(CLOSE_WITHIN_MS),
        this.#disk?.settled(),
      ]
      // Everything else is unref'd: this keeps the process alive for its last words, and bounds them.
      await within(Promise.all(last), CLOSE_WITHIN_MS + CUT_WITHIN_MS, [])
    } catch (error) {
      this.#runtime.onError(error, 'close')
    } finally {
      clearTimeout(bound)
      this.#http.close()
      // Handles that were just closed are gone one turn later.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
