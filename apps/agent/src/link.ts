import { hostname } from 'node:os'
import { type EvenSplit, UNCOUNTED } from '@weir/policy/model'
import {
  type Ask,
  type ControlMessage,
  type Delta,
  type Hello,
  type Obeyed,
  type Report,
  type Scales,
  type Snapshot,
  sameScales,
  type Welcome,
  WIRE,
} from '@weir/wire/model'
import type { Runtime } from './core/clock.ts'
import type { HttpClient } from './core/http.ts'
import { LeaseClerk } from './lease-clerk.ts'
import type { Leases } from './leases/leases.ts'
import type { Settings } from './options.ts'
import { amended } from './policy/amend.ts'
import type { Policies, Settled } from './policy/standing.ts'
import { receiptOf } from './policy/state.ts'
import type { Disk, DiskSnapshot } from './source/disk.ts'
import { Poll } from './source/poll.ts'
import { Stream } from './source/stream.ts'
import { VERSION } from './version.ts'

export interface LinkOptions {
  readonly settings: Settings & { readonly link: NonNullable<Settings['link']> }
  readonly boot: string
  readonly runtime: Runtime
  readonly http: HttpClient
  readonly state: Policies
  readonly disk: Disk | null
  /** Another policy is in force. */
  readonly onPolicy: () => void
  readonly onSplit: (split: EvenSplit, scales: Scales) => void
  readonly leases: Leases
  /** See `WeirStatus.uncounted`. */
  readonly onUncounted: (uncounted: boolean) => void
  readonly onExportMs: (exportMs: number) => void
  /** States of gates, dependencies and consumers for the report. */
  readonly states: () => Pick<Report, 'gates' | 'dependencies' | 'consumers'>
}

/** The agent's side of the talk with a control plane: hello, receipts, reports; the stream, and the poll while there is no stream. */
export class ControlLink {
  readonly #o: LinkOptions
  readonly #stream: Stream
  readonly #poll: Poll
  readonly #clerk: LeaseClerk
  #welcome: Welcome | null = null
  #snapshot: Omit<Snapshot, 'type'> | null = null
  #split: EvenSplit | null = null
  #scales: Scales = {}
  #reportMs: number = WIRE.reportMs
  #timer: unknown = null
  #sequence = 0
  #mismatch = ''
  #told = ''
  #toldNoShare = false

  constructor(options: LinkOptions) {
    this.#o = options
    const { settings, runtime, http } = options
    const { socketOrigin, httpOrigin, key } = settings.link
    this.#stream = new Stream({
      origin: socketOrigin,
      key,
      runtime,
      hello: () => this.#hello(),
      onMessage: (message) => this.#receive(message),
      onDrain: () => this.#clerk.drain(),
      onState: (state) => this.#onState(state),
    })
    this.#poll = new Poll({
      origin: httpOrigin,
      key,
      instance: settings.instance,
      runtime,
      http,
      onSplit: (split, scales) => this.#share(split, scales),
      onSnapshot: (snapshot) => this.#take('poll', snapshot),
    })
    this.#clerk = new LeaseClerk({
      leases: options.leases,
      runtime,
      open: () => this.#stream.isUp || this.#poll.isAnswering,
      send: (message) => this.#sendLeases(message),
      onUncounted: options.onUncounted,
    })
  }

  get connected(): boolean {
    return this.#stream.isUp
  }

  get welcome(): Welcome | null {
    return this.#welcome
  }

  /** What the disk already holds: a later change of the split is written to it, though the control plane need not send the policy again. */
  remember({ identity, effective, split, scales = {} }: DiskSnapshot): void {
    this.#snapshot = { ...identity, effective: effective as Snapshot['effective'] }
    this.#split = split
    this.#scales = scales
  }

  start(): void {
    this.#stream.start()
    this.#poll.start()
    this.#clerk.start()
  }

  async close(reason: string, withinMs: number): Promise<void> {
    this.#o.runtime.timers.clear(this.#timer)
    this.#poll.stop()
    this.#clerk.close()
    await this.#stream.close(reason, withinMs)
  }

  #hello(): Hello {
    const { settings, boot, state } = this.#o
    return {
      type: 'hello',
      instance: settings.instance,
      boot,
      zone: settings.zone,
      host: hostname().slice(0, 128) || 'unknown',
      pid: process.pid,
      agentVersion: VERSION,
      modeOverride: settings.mode,
      applied: state.standing.identity,
      source: state.standing.source,
    }
  }

  #onState(state: 'up' | 'down' | 'failed'): void {
    if (state === 'up') this.#onUp()
    else if (state === 'down') this.#onDown()
    else this.#clerk.unanswered()
  }

  #onUp(): void {
    this.#poll.stop()
    this.#clerk.connected()
    const { identity } = this.#o.state.standing
    if (identity !== null) this.#stream.send(receiptOf(identity, this.#o.state.settled))
    this.#planReport()
  }

  #onDown(): void {
    this.#o.runtime.timers.clear(this.#timer)
    this.#poll.start()
  }

  /** What a poller obeys it says with its next question. */
  #sendLeases(message: Ask | Obeyed): void {
    if (this.#stream.isUp) this.#stream.send(message)
    else if (message.type === 'ask')
      void this.#poll.ask(message).then((grants) => {
        if (grants !== null) this.#clerk.take(grants)
      })
  }

  #planReport(): void {
    const { timers } = this.#o.runtime
    timers.clear(this.#timer)
    this.#timer = timers.set(() => {
      this.#planReport()
      this.#report()
    }, this.#reportMs)
  }

  #report(): void {
    const { state } = this.#o
    this.#stream.send({
      type: 'report',
      sequence: ++this.#sequence,
      source: state.standing.source,
      ...this.#o.states(),
      scales: this.#scales,
      uncounted: this.#clerk.uncounted,
    })
  }

  #receive(message: Exclude<ControlMessage, { type: 'ping' | 'drain' }>): void {
    switch (message.type) {
      case 'welcome':
        this.#welcome = message
        this.#checkNames(message)
        this.#pace(message)
        return
      case 'settings':
        this.#pace(message)
        if (this.#stream.isUp) this.#planReport()
        return
      case 'lease':
        this.#share({ agents: message.agents, rank: message.rank }, message.scales ?? null)
        return
      case 'grants':
        this.#clerk.take(message)
        return
      case 'snapshot':
        this.#take('stream', message)
        return
      case 'delta':
        this.#amend(message)
    }
  }

  #amend(delta: Delta): void {
    const snapshot = amended(this.#snapshot, delta)
    if (snapshot === null) this.#stream.send({ type: 'resync', revision: delta.revision })
    else this.#take('stream', snapshot, true)
  }

  #pace({ reportMs, exportMs }: { reportMs: number; exportMs: number }): void {
    this.#reportMs = reportMs
    this.#o.onExportMs(exportMs)
  }

  /** `scales` `null`: as they were. */
  #share(split: EvenSplit, scales: Scales | null): void {
    const scaled = scales !== null && !sameScales(scales, this.#scales)
    if (!scaled && split.agents === this.#split?.agents && split.rank === this.#split.rank) return
    this.#split = split
    this.#scales = scales ?? this.#scales
    this.#o.onSplit(split, this.#scales)
    this.#save()
  }

  #take(source: 'stream' | 'poll', snapshot: Snapshot, proved = false): void {
    const { databaseId, revision, hash } = snapshot
    const identity = { databaseId, revision, hash }
    const settled = this.#o.state.offer({ source, identity, effective: snapshot.effective, proved })
    const inForce = this.#o.state.standing.identity?.hash === hash && settled.status !== 'refused'
    if (settled.changed) this.#o.onPolicy()
    this.#stream.send(receiptOf(identity, settled))
    this.#tell(revision, settled)
    if (!inForce) return
    if (this.#split === null) this.#tellUncounted()
    this.#snapshot = snapshot
    this.#save()
  }

  /** Once for each revision and answer: a control plane that repeats itself is not repeated to the host. */
  #tell(revision: number, { status, refused }: Settled): void {
    const [first] = refused
    const words = first ? `Revision ${revision} is ${status}: ${first.path} ${first.message}` : ''
    if (words !== '' && words !== this.#told) this.#o.runtime.onError(new Error(words), 'policy')
    this.#told = words
  }

  #tellUncounted(): void {
    if (this.#toldNoShare) return
    this.#toldNoShare = true
    const { agents } = UNCOUNTED
    const words = `The control plane told no share of the quotas: this process takes 1/${agents} of each until it does.`
    this.#o.runtime.onError(new Error(words), 'link')
  }

  #save(): void {
    const { disk, settings } = this.#o
    if (disk === null || this.#snapshot === null) return
    const { databaseId, revision, hash, effective } = this.#snapshot
    disk.save({
      environment: this.#welcome?.environment ?? settings.environment,
      service: this.#welcome?.service ?? settings.service,
      identity: { databaseId, revision, hash },
      effective,
      split: this.#split,
      scales: this.#scales,
    })
  }

  /** The key decides whom this process is; options that say otherwise are a mistake in a deployment. */
  #checkNames({ environment, service }: Welcome): void {
    const { settings, runtime } = this.#o
    const wrong = [
      settings.environment !== null && settings.environment !== environment ? `environment ${environment}` : '',
      settings.service !== null && settings.service !== service ? `service ${service}` : '',
    ].filter((part) => part !== '')
    const mismatch = wrong.join(' and ')
    if (mismatch !== '' && mismatch !== this.#mismatch)
      runtime.onError(new Error(`The key is for ${mismatch}, not for what the options say; the key decides.`), 'link')
    this.#mismatch = mismatch
  }
}
