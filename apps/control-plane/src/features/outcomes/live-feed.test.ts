import type { LiveRow } from '@weir/api'
import { expect, test } from 'vitest'
import { LiveBroadcast } from '../live/live-port.ts'
import { LiveFeed } from './live-feed.ts'
import { rollUp } from './roll-up.ts'
import { ServiceSeats } from './seats.ts'
import { cellOf, type Window } from './window.ts'

const SECOND = 1_796_022_000

class Told extends LiveBroadcast {
  ticks: { at: number; rows: readonly LiveRow[] }[] = []
  looking = true
  tick(_environment: string, at: Date, rows: readonly LiveRow[]): void {
    this.ticks.push({ at: at.getTime() / 1000 - SECOND, rows })
  }
  alert(): void {}
  published(): void {}
  agents(): void {}
  watched = () => this.looking
}

const windowOf = (second: number, offered: number, tenant = 'acme'): Window => {
  const window: Window = {
    id: '',
    environment: 'prod',
    service: 'orders',
    instance: 'i',
    numbered: null,
    stretches: [],
  }
  const time = { startMs: second * 1000, endMs: (second + 1) * 1000 }
  const cell = cellOf(window, time, 'gate', 'checkout', { class: 'critical', tenant, reason: null, revision: null })
  cell.add('offered', offered)
  const gauges = cellOf(window, time, 'gate', 'checkout', { class: null, tenant: null, reason: null, revision: null })
  gauges.add('limit_integral', 8)
  gauges.add('gauge_seconds', 1)
  gauges.markEdge()
  return window
}
const setUp = () => {
  const live = new Told()
  const feed = new LiveFeed(live)
  const add = (nowS: number, ...windows: Window[]) =>
    feed.add(rollUp(windows, new ServiceSeats(), nowS * 1000), nowS * 1000)
  return { live, feed, add }
}

test('a second is told once it is over and a second has passed, with its parts', () => {
  const { live, feed, add } = setUp()
  add(SECOND + 1, windowOf(SECOND, 5), windowOf(SECOND, 2, 'zeta'))
  feed.tick((SECOND + 1) * 1000 + 900)
  expect(live.ticks).toEqual([])
  feed.tick((SECOND + 2) * 1000)
  expect(live.ticks).toMatchObject([
    {
      at: 0,
      rows: [
        {
          kind: 'gate',
          service: 'orders',
          name: 'checkout',
          edge: true,
          figures: { offered: 7, shed: 0, limit: 16 },
          by: {
            tenant: { acme: { offered: 5 }, zeta: { offered: 2 } },
            class: { critical: { offered: 7 } },
            reason: {},
          },
        },
      ],
    },
  ])
  feed.tick((SECOND + 3) * 1000)
  expect(live.ticks).toHaveLength(1)
})

test('what arrives later replaces what was told, up to a bound', () => {
  const { live, feed, add } = setUp()
  add(SECOND + 1, windowOf(SECOND, 5))
  feed.tick((SECOND + 2) * 1000)
  add(SECOND + 9, windowOf(SECOND, 3))
  feed.tick((SECOND + 10) * 1000)
  expect(live.ticks.map(({ at, rows }) => [at, rows[0]?.figures.offered])).toEqual([
    [0, 5],
    [0, 8],
  ])
  add(SECOND + 30, windowOf(SECOND, 3))
  feed.tick((SECOND + 30) * 1000)
  expect(live.ticks).toHaveLength(2)
})

test('nothing is made where nobody looks', () => {
  const { live, feed, add } = setUp()
  live.looking = false
  add(SECOND + 1, windowOf(SECOND, 5))
  feed.tick((SECOND + 2) * 1000)
  expect(live.ticks).toEqual([])
})
