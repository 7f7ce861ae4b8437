import { expect } from 'vitest'
import { type OutcomeQuery, type OutcomeStore } from '../features/outcomes/outcome-store.ts'
import { rollUp } from '../features/outcomes/roll-up.ts'
import { ServiceSeats } from '../features/outcomes/seats.ts'
import { type Cell, cellOf, type Labels, type Window, windowId } from '../features/outcomes/window.ts'

const LABELS: Labels = { class: 'critical', tenant: 'acme', reason: null, revision: null }

/** A multiple of 60, close to the true time. */
export const NOW_S = Math.floor(Date.now() / 60_000) * 60

let used = 0
/** A window with one cell. */
export const windowOf = (
  service: string,
  second: number,
  fill: (cell: Cell) => void,
  { name = 'checkout', labels = LABELS, instance = 'i', seconds = 1 } = {},
): Window => {
  const window: Window = {
    id: windowId([used++]),
    environment: 'prod',
    service,
    instance,
    numbered: null,
    stretches: [],
  }
  fill(cellOf(window, { startMs: second * 1000, endMs: (second + seconds) * 1000 }, 'gate', name, labels))
  return window
}
const write = (store: OutcomeStore, windows: readonly Window[]) =>
  store.write(windows, (fresh) => rollUp(fresh, new ServiceSeats(), NOW_S * 1000), NOW_S * 1000)
/** The figures of a service's gates in the two minutes around now. */
export const outcomesAsked = (service: string, more: Partial<OutcomeQuery> = {}): OutcomeQuery => ({
  environment: 'prod',
  kind: 'gate',
  service,
  name: null,
  edge: null,
  cut: 'total',
  labelBy: 'nothing',
  from: NOW_S - 60,
  to: NOW_S + 60,
  step: 1,
  bucket: 1,
  maxSeries: 50,
  ...more,
})

/** What every adapter of `OutcomeStore` does. Each case has services of its own; the last one empties the store. */
export const OUTCOME_STORE_CONTRACT: readonly (readonly [string, (store: OutcomeStore) => Promise<void>])[] = [
  [
    'what was written is there at every resolution, and a repeat adds nothing',
    async (store) => {
      const windows = Array.from({ length: 30 }, (_, i) =>
        windowOf('repeats', NOW_S - 30 + i, (cell) => cell.add('offered', i)),
      )
      const rows = await write(store, windows)
      expect(rows.size).toBe(30 * 4)
      expect((await write(store, windows.slice(10))).size).toBe(0)
      await write(store, [...windows.slice(0, 1), windowOf('repeats', NOW_S, (cell) => cell.add('offered', 1000))])
      for (const step of [1, 10, 60] as const) {
        const slice = await store.query(outcomesAsked('repeats', { step, bucket: step }))
        expect(slice.total.offered, `step ${step}`).toBe(435 + 1000)
        expect(slice.rows.map((row) => row.second).sort()).toEqual(slice.heard.toSorted())
        expect(slice.rows).toHaveLength({ 1: 31, 10: 4, 60: 2 }[step])
      }
    },
  ],

  [
    'writes and upkeep that begin at the same moment all go through, also the first',
    async (store) => {
      // Past what is made ahead, not past what is kept: upkeep may come first.
      const later = (NOW_S + 45 * 60) * 1000
      const windows = Array.from({ length: 4 }, () => windowOf('at-once', NOW_S - 5, (cell) => cell.add('offered', 1)))
      await Promise.all([
        ...windows.map((window) => store.write([window], (fresh) => rollUp(fresh, new ServiceSeats(), later), later)),
        store.maintain(NOW_S * 1000),
        store.maintain(later),
      ])
      expect(
        (await store.query(outcomesAsked('at-once', { step: 60, bucket: 60, to: NOW_S + 120 }))).total.offered,
      ).toBe(4)
    },
  ],

  [
    'sums add, peaks keep the largest, histograms merge bucket by bucket',
    async (store) => {
      const counts = (bucket: number, n: number) => Array.from({ length: 22 }, (_, i) => (i === bucket ? n : 0))
      for (const [n, bucket] of [
        [3, 2],
        [8, 2],
        [5, 20],
      ] as const)
        await write(store, [
          windowOf('adds', NOW_S - 5, (cell) => {
            cell.add('shed', n)
            cell.peak('level', n)
            cell.count('duration_counts', counts(bucket, n))
          }),
        ])
      const [row] = (await store.query(outcomesAsked('adds'))).rows
      expect(row?.figures).toMatchObject({ shed: 16, level: 8, oldest_age_ms: null, wait_counts: null, offered: null })
      expect(row?.figures.duration_counts).toEqual(counts(2, 11).map((n, i) => (i === 20 ? 5 : n)))
    },
  ],

  [
    'cuts, names, edges and services are told apart',
    async (store) => {
      const add =
        (n: number, edge = false) =>
        (cell: Cell) => {
          cell.add('offered', n)
          if (edge) cell.markEdge()
        }
      await write(store, [
        windowOf('cuts', NOW_S - 5, add(1, true)),
        windowOf('cuts', NOW_S - 5, add(2), { name: 'search' }),
        windowOf('cuts', NOW_S - 4, add(4, true), { labels: { ...LABELS, tenant: 'zeta' } }),
        windowOf('cuts-other', NOW_S - 4, add(100)),
      ])
      const labels = async (more: Partial<OutcomeQuery>) => {
        const slice = await store.query(outcomesAsked('cuts', more))
        const sums: Record<string, number> = {}
        for (const { label, figures } of slice.rows) sums[label] = (sums[label] ?? 0) + (figures.offered ?? 0)
        return sums
      }
      expect(await labels({})).toEqual({ '': 7 })
      expect(await labels({ labelBy: 'name' })).toEqual({ checkout: 5, search: 2 })
      expect(await labels({ labelBy: 'name', service: null })).toMatchObject({
        'cuts/checkout': 5,
        'cuts-other/checkout': 100,
      })
      expect(await labels({ cut: 'tenant', labelBy: 'label' })).toEqual({ acme: 3, zeta: 4 })
      expect(await labels({ edge: true })).toEqual({ '': 5 })
      expect(await labels({ edge: false })).toEqual({ '': 2 })
      expect(await labels({ name: 'search' })).toEqual({ '': 2 })
      expect(await labels({ environment: 'test' })).toEqual({})
      expect(await labels({ from: NOW_S - 4 })).toEqual({ '': 4 })
      expect(await labels({ to: NOW_S - 4 })).toEqual({ '': 3 })
    },
  ],

  [
    'the lightest series beyond the bound are summed as other',
    async (store) => {
      await write(
        store,
        Array.from({ length: 10 }, (_, i) =>
          windowOf('many', NOW_S - 5, (cell) => cell.add('offered', i + 1), { labels: { ...LABELS, tenant: `t${i}` } }),
        ),
      )
      const slice = await store.query(outcomesAsked('many', { cut: 'tenant', labelBy: 'label', maxSeries: 3 }))
      expect(Object.fromEntries(slice.rows.map(({ label, figures }) => [label, figures.offered]))).toEqual({
        t9: 10,
        t8: 9,
        other: 36,
      })
    },
  ],

  [
    'shedding by service and second',
    async (store) => {
      await write(store, [
        windowOf('sheds', NOW_S - 5, (cell) => {
          cell.add('offered', 10)
          cell.add('shed', 3)
          cell.add('expired', 1)
        }),
      ])
      const seconds = await store.shedding(['prod'], NOW_S - 60, NOW_S)
      expect(seconds.filter(({ service }) => service === 'sheds')).toEqual([
        { environment: 'prod', service: 'sheds', second: NOW_S - 5, offered: 10, refused: 4 },
      ])
      expect(await store.shedding(['test'], NOW_S - 60, NOW_S)).toEqual([])
    },
  ],

  [
    'each resolution is kept for its own time, then dropped',
    async (store) => {
      await write(store, [windowOf('old', NOW_S - 5, (cell) => cell.add('offered', 5))])
      const left = async () => {
        const found: number[] = []
        for (const step of [1, 10, 60] as const)
          if ((await store.query(outcomesAsked('old', { step, bucket: step }))).total.offered === 5) found.push(step)
        return found
      }
      await store.maintain(NOW_S * 1000)
      expect(await left()).toEqual([1, 10, 60])
      await store.maintain((NOW_S + 2 * 3_600) * 1000)
      expect(await left()).toEqual([10, 60])
      await store.maintain((NOW_S + 2 * 86_400) * 1000)
      expect(await left()).toEqual([60])
      await store.maintain((NOW_S + 40 * 86_400) * 1000)
      expect(await left()).toEqual([])
    },
  ],
]
