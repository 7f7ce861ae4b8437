import { DURATION_BOUNDS_S } from '@weir/wire/model'
import { OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { rollUp } from '../features/outcomes/roll-up.ts'
import { ServiceSeats } from '../features/outcomes/seats.ts'
import { cellOf, type Window, windowId } from '../features/outcomes/window.ts'
import type { TestApp } from './harness.ts'

export interface Recorded {
  readonly service: string
  readonly gate?: string
  /** How far back, at most the ten minutes that an agent may be late. */
  readonly seconds: number
  readonly perSecond: number
  /** Shares, by class and tenant. */
  readonly classes?: Readonly<Record<string, number>>
  readonly tenants?: Readonly<Record<string, number>>
  /** How long each piece of work took. */
  readonly ms: number
  readonly instances?: number
}

const WINDOW_S = 10

/** Puts into the figures of `prod` what agents would have sent: everything that was offered was accepted and completed, without a wait. */
export const record = async (weir: TestApp, given: Recorded): Promise<void> => {
  const toS = Math.floor(Date.now() / 1_000 / WINDOW_S) * WINDOW_S
  const windows: Window[] = []
  for (let second = toS - given.seconds; second < toS; second += WINDOW_S) windows.push(...windowsOf(given, second))
  const store = weir.app.get(OutcomeStore, { strict: false })
  await store.write(windows, (fresh) => rollUp(fresh, new ServiceSeats(), Date.now()), Date.now())
}

const windowsOf = (given: Recorded, second: number): Window[] => {
  const { service, gate = 'checkout', perSecond, ms, instances = 1 } = given
  const { classes = { critical: 1 }, tenants = { acme: 1 } } = given
  const time = { startMs: second * 1_000, endMs: (second + WINDOW_S) * 1_000 }
  return Array.from({ length: instances }, (_, i) => {
    const work = (perSecond * WINDOW_S) / instances
    const id = windowId([service, gate, second, i, Date.now()])
    const window: Window = { id, environment: 'prod', service, instance: `i${i}`, numbered: null, stretches: [] }
    for (const [klass, ofClass] of Object.entries(classes))
      for (const [tenant, ofTenant] of Object.entries(tenants)) {
        const labels = { class: klass, tenant, reason: null, revision: null }
        const cell = cellOf(window, time, 'gate', gate, labels)
        for (const column of ['offered', 'accepted', 'completed'] as const) cell.add(column, work * ofClass * ofTenant)
      }
    const whole = cellOf(window, time, 'gate', gate, { class: null, tenant: null, reason: null, revision: null })
    const at = DURATION_BOUNDS_S.findIndex((bound) => ms <= bound * 1_000)
    whole.count(
      'duration_counts',
      Array.from({ length: DURATION_BOUNDS_S.length + 1 }, (_, n) => (n === at ? work : 0)),
    )
    whole.add('duration_sum', (work * ms) / 1_000)
    whole.add('wait_sum', 0)
    whole.add('gauge_seconds', WINDOW_S)
    whole.add('active_integral', (work * ms) / 1_000)
    return window
  })
}
