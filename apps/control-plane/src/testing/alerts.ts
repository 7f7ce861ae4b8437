import { AlertBook, type AlertChange } from '../features/alerts/alert-book.ts'
import { AlertWatch } from '../features/alerts/alert-watch.ts'
import { FiguresFeed } from '../features/alerts/figures-feed.ts'
import { AlertLeader, type Term } from '../features/alerts/leader.ts'
import { PublishedLimits } from '../features/alerts/published.ts'
import { OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { EffectivePolicies } from '../features/policies/effective-policies.ts'
import type { TestApp } from './harness.ts'

/** The term that the application's own watch holds, at a time of the test's. */
class TermAt extends AlertLeader {
  nowMs = 0
  readonly #weir: TestApp

  constructor(weir: TestApp) {
    super()
    this.#weir = weir
  }

  override async hold(): Promise<Term> {
    return { token: await tokenOf(this.#weir), nowMs: this.nowMs }
  }
  override async release(): Promise<void> {}
}

const tokenOf = async (weir: TestApp): Promise<bigint> => {
  const { rows } = await weir.database.pool.query<{ token: string }>('SELECT token FROM alert_leader')
  return BigInt(rows[0]?.token ?? 0)
}

/** A watch of the application's services, beside its own, that lives at times of the test's. */
export const watchAt = (weir: TestApp) => {
  const get = <T>(token: abstract new (...args: never[]) => T): T => weir.app.get<T>(token, { strict: false })
  const leader = new TermAt(weir)
  const watch = new AlertWatch({
    leader,
    book: get(AlertBook),
    feed: new FiguresFeed(get(OutcomeStore)),
    published: new PublishedLimits(get(EffectivePolicies)),
    tell: () => {},
  })
  return {
    /** One turn a second. */
    seconds: async (from: number, to: number) => {
      for (let second = from; second < to; second++) {
        leader.nowMs = second * 1_000
        await watch.tick()
      }
    },
  }
}

/** Writes changes as the replica that judges would. */
export const record = async (weir: TestApp, ...changes: readonly AlertChange[]) =>
  weir.app.get(AlertBook, { strict: false }).record(await tokenOf(weir), changes)

/** An alert that is raised, for a service of the application. */
export const raising = async (
  weir: TestApp,
  environment: string,
  service: string,
  more: Partial<Extract<AlertChange, { kind: 'raise' }>> & { readonly subject?: string } = {},
): Promise<Extract<AlertChange, { kind: 'raise' }>> => {
  const watched = await weir.app.get(AlertBook, { strict: false }).watched()
  const found = watched.find((each) => each.environment === environment && each.service === service)
  if (found === undefined) throw new Error(`${environment}/${service} is not watched.`)
  const { subject = 'checkout', ...rest } = more
  return {
    kind: 'raise',
    key: { serviceId: found.serviceId, rule: 'sustained-shedding', subject },
    severity: 'ticket',
    value: 0.42,
    threshold: 0.1,
    forSeconds: 60,
    summary: '42 % of 200/s are refused.',
    figures: { refusedShare: 0.42 },
    at: new Date(),
    ...rest,
  }
}
