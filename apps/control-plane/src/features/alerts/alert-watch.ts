import type { Alert } from '@weir/api'
import type { LiveBroadcast } from '../live/live-port.ts'
import type { OutcomeStore, SheddingSecond } from '../outcomes/outcome-store.ts'
import type { AlertBook, WatchedService } from './alert-book.ts'
import { type AlertEvent, CALM, firing, step, type Watch, WINDOW_SECONDS } from './evaluate.ts'

/** A second is judged when this much has passed since its end: by then what is written each second is there. */
const LATENESS_SECONDS = 2
/** Rules are read again this often. */
const RULES_SECONDS = 5
/** After a pause of the process the seconds before are no longer judged one by one. */
const MAX_CATCH_UP_SECONDS = 3_600

interface Watched {
  service: WatchedService
  watch: Watch
  /** Last second that was judged. */
  judged: number
  alertId: string | null
}

/**
 * Judges every service once a second from the durable roll-ups, so that a restart changes nothing: what was pending is read again, what fires is
 * in the book. There is one of these for a database, as there is one control plane.
 */
export class AlertWatch {
  readonly #book: AlertBook
  readonly #store: OutcomeStore
  readonly #live: LiveBroadcast
  #watched: Map<string, Watched> | null = null
  #rulesAt = 0

  constructor(book: AlertBook, store: OutcomeStore, live: LiveBroadcast) {
    this.#book = book
    this.#store = store
    this.#live = live
  }

  /** Called once a second, never twice at a time. What fails is tried again the next time. */
  async tick(nowMs: number): Promise<void> {
    const last = Math.floor(nowMs / 1000) - LATENESS_SECONDS - 1
    const watched = await this.#services(nowMs, last)
    const from = Math.min(...[...watched.values()].map(({ judged }) => judged + 1))
    if (from > last) return
    const environments = [...new Set([...watched.values()].map(({ service }) => service.environment))]
    const heard = indexed(await this.#store.shedding(environments, from, last + 1))
    for (const each of watched.values()) {
      const own = heard.get(key(each.service))
      while (each.judged < last) await this.#judge(each, own?.get(each.judged + 1) ?? null)
    }
  }

  async #services(nowMs: number, last: number): Promise<Map<string, Watched>> {
    if (this.#watched !== null && nowMs - this.#rulesAt < RULES_SECONDS * 1000) return this.#watched
    const known = this.#watched
    const fires =
      known === null ? new Map((await this.#book.firing()).map(({ serviceId, alert }) => [serviceId, alert])) : null
    const watched = new Map<string, Watched>()
    for (const service of await this.#book.watched()) {
      const each = known?.get(service.serviceId) ?? begin(service, fires?.get(service.serviceId), last)
      each.service = service
      each.judged = Math.max(each.judged, last - MAX_CATCH_UP_SECONDS)
      watched.set(service.serviceId, each)
    }
    this.#watched = watched
    this.#rulesAt = nowMs
    return watched
  }

  async #judge(each: Watched, heard: SheddingSecond | null): Promise<void> {
    const { watch, event } = step(each.watch, each.service.rule, heard)
    if (event !== null) await this.#act(each, event, new Date((each.judged + 2) * 1000))
    each.watch = watch
    each.judged++
  }

  async #act(each: Watched, event: AlertEvent, at: Date): Promise<void> {
    const alert = await this.#write(each, event, at)
    each.alertId = event.kind === 'resolved' ? null : (alert?.id ?? each.alertId)
    if (alert !== null) this.#live.alert(each.service.environment, alert)
  }

  async #write(each: Watched, event: AlertEvent, at: Date): Promise<Alert | null> {
    if (event.kind === 'raised') return this.#book.raise(each.service, event.share, at)
    if (each.alertId === null) return null
    return event.kind === 'peaked'
      ? this.#book.peak(each.alertId, event.peakShare)
      : this.#book.resolve(each.alertId, at)
  }
}

/** Goes back as far as the rule looks; never before the alert that fires was raised. */
const begin = (service: WatchedService, alert: Alert | undefined, last: number): Watched => {
  const back = last - service.rule.forSeconds - WINDOW_SECONDS
  if (alert === undefined) return { service, watch: CALM, judged: back, alertId: null }
  const raised = Math.floor(Date.parse(alert.raisedAt) / 1000) - 1
  return { service, watch: firing(alert.peakShare), judged: Math.min(last, Math.max(back, raised)), alertId: alert.id }
}

const key = ({ environment, service }: { environment: string; service: string }): string => `${environment}\n${service}`

const indexed = (seconds: readonly SheddingSecond[]): Map<string, Map<number, SheddingSecond>> => {
  const index = new Map<string, Map<number, SheddingSecond>>()
  for (const each of seconds) {
    const own = index.get(key(each)) ?? new Map<number, SheddingSecond>()
    own.set(each.second, each)
    index.set(key(each), own)
  }
  return index
}
