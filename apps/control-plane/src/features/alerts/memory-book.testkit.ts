import type { Alert } from '@weir/api'
import { AlertBook, type AlertChange, type AlertKey, Deposed, type WatchedService } from './alert-book.ts'
import { AlertLeader, TERM_SECONDS, type Term } from './leader.ts'
import type { AgentCounts } from './other-rules.ts'

/** One row, as in the database: any number of replicas with clocks of their own ask for it by the database's time. */
export class MemoryLease {
  nowMs: number
  holder: object | null = null
  token = 0n
  #expiresMs = 0

  constructor(nowMs: number) {
    this.nowMs = nowMs
  }

  replica(): AlertLeader {
    const lease = this
    return new (class extends AlertLeader {
      override async hold(): Promise<Term | null> {
        return lease.#hold(this)
      }
      override async release(): Promise<void> {
        if (lease.holder === this) lease.#expiresMs = lease.nowMs
      }
    })()
  }

  #hold(replica: object): Term | null {
    const free = this.#expiresMs <= this.nowMs
    if (this.holder !== replica && !free) return null
    if (this.holder !== replica || free) this.token++
    this.holder = replica
    this.#expiresMs = this.nowMs + TERM_SECONDS * 1_000
    return { token: this.token, nowMs: this.nowMs }
  }
}

const sameKey = (a: AlertKey, b: AlertKey) =>
  a.serviceId === b.serviceId && a.rule === b.rule && a.subject === b.subject

/** A book in memory that lets one alert of a key fire and one replica write, as the database does. */
export class MemoryBook extends AlertBook {
  services: WatchedService[] = []
  counts = new Map<string, AgentCounts>()
  alerts: { readonly key: AlertKey; readonly alert: Alert }[] = []
  away = false
  readonly #lease: MemoryLease

  constructor(lease: MemoryLease) {
    super()
    this.#lease = lease
  }

  override async watched() {
    return this.services
  }
  override async firing() {
    return this.alerts.filter(({ alert }) => alert.state === 'firing')
  }
  override async agents() {
    return this.counts
  }
  override async record(token: bigint, changes: readonly AlertChange[]) {
    if (this.away) throw new Error('away')
    if (token !== this.#lease.token) throw new Deposed()
    return changes.flatMap((change) => {
      const alert = this.#write(change)
      return alert === null ? [] : [{ environment: 'prod', alert }]
    })
  }
  override async prune() {}
  override async list() {
    return { items: this.alerts.map(({ alert }) => alert), more: false }
  }

  #write(change: AlertChange): Alert | null {
    const at = this.alerts.findIndex(({ key, alert }) => alert.state === 'firing' && sameKey(key, change.key))
    const found = this.alerts[at]
    if (change.kind === 'raise') {
      if (found !== undefined) return null
      const { key, kind: _, at: raised, ...rest } = change
      const alert: Alert = {
        ...rest,
        id: `a${this.alerts.length}`,
        service: this.services.find(({ serviceId }) => serviceId === key.serviceId)?.service ?? '',
        rule: key.rule,
        subject: key.subject,
        figures: { ...change.figures },
        state: 'firing',
        silenced: false,
        worst: change.value,
        raisedAt: raised.toISOString(),
        resolvedAt: null,
      }
      this.alerts.push({ key, alert })
      return alert
    }
    if (found === undefined) return null
    const alert: Alert =
      change.kind === 'worse'
        ? { ...found.alert, worst: change.value }
        : { ...found.alert, state: 'resolved', resolvedAt: change.at.toISOString() }
    this.alerts[at] = { key: found.key, alert }
    return alert
  }
}
