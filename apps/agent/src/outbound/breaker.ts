import type { BreakerPolicy } from '@weir/policy/model'
import type { BreakerState } from '@weir/wire/model'
import { RollingWindow } from './window.ts'

/** What a call carries from its admission to its verdict. Calls admitted by a closed breaker share one per generation; a probe has its own. */
export interface Ticket {
  readonly generation: number
  readonly probe: boolean
  readonly leaseEndsAt: number
  settled: boolean
}

/** Of a call that the breaker neither admitted nor learns from. */
export const UNTRACKED: Ticket = { generation: -1, probe: false, leaseEndsAt: Infinity, settled: true }

/** One record, replaced as a whole: kind, since when, and which generation can never disagree. */
interface State {
  readonly kind: BreakerState
  readonly since: number
  readonly generation: number
}

const SLOTS = 10
const GOOD = 0
const BAD = 1
const SLOW = 2
const GOOD_MS = 3
const FIELDS = 4

/**
 * A circuit breaker over completed attempts. Closed: opens when a window of `windowMs` holds `minimumVolume` verdicts and failures are `>=`
 * `failureShare` of them, or slow ones `>=` `slowShare` (successes slower than `slowCallMs` count as slow, failures as slow by the same rule).
 * Open: refuses for `openMs`, fixed at opening. Half-open: `probes` places, each with a lease; a neutral verdict gives the place back,
 * a lease that runs out is a failure; once all places have a verdict the same shares decide; without that within lease x probes it opens again.
 * Verdicts of an earlier generation are dropped and counted. No timer: every transition is worked out on the next use.
 */
export class Breaker {
  #policy: BreakerPolicy
  #state: State
  #shared: Ticket
  readonly #window: RollingWindow
  #probes: Ticket[] = []
  #good = 0
  #bad = 0
  #slow = 0
  /** Mean duration of successes when the window was last judged, milliseconds. */
  #typicalMs = 0
  #stale = 0
  #opened = 0

  constructor(policy: BreakerPolicy, now: number) {
    this.#policy = policy
    this.#window = new RollingWindow(policy.windowMs, SLOTS, FIELDS, now)
    this.#state = { kind: 'closed', since: now, generation: 1 }
    this.#shared = sharedTicket(1)
  }

  /** Verdicts of earlier generations, ever. */
  get stale(): number {
    return this.#stale
  }

  /** Times that it opened, ever. */
  get opened(): number {
    return this.#opened
  }

  /** A place for one attempt; `null` = refused. */
  tryAcquire(now: number): Ticket | null {
    switch (this.#policy.mode) {
      case 'forced-open':
        return null
      case 'forced-closed':
        return this.#shared
    }
    if (this.#state.kind !== 'closed') this.#catchUp(now)
    switch (this.#state.kind) {
      case 'closed':
        return this.#shared
      case 'open':
        return null
      case 'half-open':
        return this.#tryProbe(now)
    }
  }

  /** Until the next probe may be let in, milliseconds. */
  retryAfterMs(now: number): number {
    const { mode, openMs } = this.#policy
    if (mode === 'forced-open') return openMs
    const { kind, since } = this.#state
    if (kind === 'open') return Math.max(0, since + openMs - now)
    if (kind === 'closed') return 0
    const first = this.#probes.reduce((least, probe) => Math.min(least, probe.leaseEndsAt), Infinity)
    return Number.isFinite(first) ? Math.max(0, first - now) : 0
  }

  /** State as seen from outside: an open breaker whose wait is over is half-open, for the next caller probes. */
  view(now: number): BreakerState {
    const { mode, openMs } = this.#policy
    if (mode === 'forced-open') return 'open'
    if (mode === 'forced-closed') return 'closed'
    const { kind, since } = this.#state
    return kind === 'open' && now - since >= openMs ? 'half-open' : kind
  }

  success(ticket: Ticket, now: number, durationMs: number): void {
    if (!this.#takes(ticket)) return
    if (ticket.probe) {
      this.#good++
      this.#probed(now, durationMs)
      return
    }
    this.#window.add(now, GOOD, 1)
    this.#window.add(now, GOOD_MS, durationMs)
    this.#judge(now, durationMs)
  }

  failure(ticket: Ticket, now: number, durationMs: number): void {
    if (!this.#takes(ticket)) return
    if (ticket.probe) {
      this.#bad++
      this.#probed(now, durationMs)
      return
    }
    this.#window.add(now, BAD, 1)
    this.#judge(now, durationMs)
  }

  /** Teaches nothing: a refusal, a cancel, a caller's own error. A probe's place is free again. */
  neutral(ticket: Ticket): void {
    if (ticket.probe && !ticket.settled && ticket.generation === this.#state.generation) this.#settle(ticket)
  }

  /**
   * An attempt that its caller's deadline cut short: a failure, unless it had less time than successes typically take. Else callers with
   * hopeless deadlines could open the breaker for everybody; and if none counted, a dependency that hangs would never open it.
   */
  cutShort(ticket: Ticket, now: number, durationMs: number): void {
    if (durationMs < this.#typical(now)) this.neutral(ticket)
    else this.failure(ticket, now, durationMs)
  }

  /** Another policy; state, window and generation stay. `forced-closed` closes. */
  apply(policy: BreakerPolicy, now: number): void {
    this.#window.resize(policy.windowMs, now)
    this.#policy = policy
    if (policy.mode === 'forced-closed' && this.#state.kind !== 'closed') this.#enter('closed', now)
  }

  #tryProbe(now: number): Ticket | null {
    const { probes, probeLeaseMs } = this.#policy
    if (this.#good + this.#bad + this.#probes.length >= probes) return null
    const { generation } = this.#state
    const ticket: Ticket = { generation, probe: true, leaseEndsAt: now + probeLeaseMs, settled: false }
    this.#probes.push(ticket)
    return ticket
  }

  /** The transitions that time alone has made, each at the moment when it was due: at most three steps, no loop. */
  #catchUp(now: number): void {
    if (this.#state.kind === 'half-open') this.#expireLeases(now)
    if (this.#state.kind === 'half-open') {
      const endsAt = this.#state.since + this.#policy.probeLeaseMs * this.#policy.probes
      if (now >= endsAt) this.#enter('open', endsAt)
    }
    if (this.#state.kind === 'open' && now - this.#state.since >= this.#policy.openMs) this.#enter('half-open', now)
  }

  #expireLeases(now: number): void {
    for (const probe of [...this.#probes]) {
      if (probe.leaseEndsAt > now || probe.settled) continue
      this.#settle(probe)
      this.#bad++
      this.#judgeProbes(probe.leaseEndsAt)
    }
  }

  #settle(ticket: Ticket): void {
    ticket.settled = true
    this.#probes = this.#probes.filter((probe) => probe !== ticket)
  }

  /** Whether a verdict counts. */
  #takes(ticket: Ticket): boolean {
    if (ticket === UNTRACKED) return false
    if (ticket.generation !== this.#state.generation || ticket.settled) {
      this.#stale++
      return false
    }
    if (ticket.probe) this.#settle(ticket)
    return true
  }

  #isSlow(durationMs: number): boolean {
    const { slowCallMs } = this.#policy
    return slowCallMs !== null && durationMs > slowCallMs
  }

  #typical(now: number): number {
    const good = this.#window.sum(now, GOOD)
    if (good > 0) this.#typicalMs = this.#window.sum(now, GOOD_MS) / good
    return this.#typicalMs
  }

  #judge(now: number, durationMs: number): void {
    if (this.#isSlow(durationMs)) this.#window.add(now, SLOW, 1)
    const { minimumVolume, failureShare, slowShare, mode } = this.#policy
    if (mode === 'forced-closed') return
    const bad = this.#window.sum(now, BAD)
    const slow = this.#window.sum(now, SLOW)
    if (bad === 0 && slow === 0) return
    const all = this.#window.sum(now, GOOD) + bad
    if (all < minimumVolume) return
    if (bad / all >= failureShare || slow / all >= slowShare) this.#enter('open', now)
  }

  #probed(now: number, durationMs: number): void {
    if (this.#isSlow(durationMs)) this.#slow++
    this.#judgeProbes(now)
  }

  #judgeProbes(now: number): void {
    const { probes, failureShare, slowShare } = this.#policy
    const all = this.#good + this.#bad
    if (all < probes) return
    const failing = this.#bad / all >= failureShare || this.#slow / all >= slowShare
    this.#enter(failing ? 'open' : 'closed', now)
  }

  #enter(kind: BreakerState, at: number): void {
    if (kind === 'open') {
      this.#typical(at)
      this.#opened++
    }
    const generation = this.#state.generation + 1
    this.#state = { kind, since: at, generation }
    this.#shared = sharedTicket(generation)
    this.#window.reset()
    this.#probes = []
    this.#good = 0
    this.#bad = 0
    this.#slow = 0
  }
}

const sharedTicket = (generation: number): Ticket => ({
  generation,
  probe: false,
  leaseEndsAt: Infinity,
  settled: false,
})
