import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SUM_INDEX, type SumColumn } from './columns.ts'
import { CUTS, type Cut, coarsen, type Row, rollUp } from './roll-up.ts'
import { ServiceSeats } from './seats.ts'
import { cellOf, type Window } from './window.ts'

const NOW = 1_796_022_010_000
const COLUMNS = ['offered', 'accepted', 'shed', 'expired', 'cancelled_waiting'] as const
type Counts = readonly [offered: number, accepted: number, shed: number, expired: number, cancelledWaiting: number]

const windowOf = (
  id: number,
  startMs: number,
  lengthMs: number,
  tenant: string,
  instance: string,
  counts: Counts,
): Window => {
  const window: Window = {
    id: String(id),
    environment: 'prod',
    service: 'orders',
    instance,
    numbered: null,
    stretches: [],
  }
  const cell = cellOf(window, { startMs, endMs: startMs + lengthMs }, 'gate', 'checkout', {
    class: 'critical',
    tenant,
    reason: null,
    revision: null,
  })
  for (const [i, column] of COLUMNS.entries()) cell.add(column, counts[i] ?? 0)
  return window
}
const sentIn = (stretches: Window['stretches'], column: SumColumn): number =>
  stretches
    .flatMap(({ gates }) => [...gates.values()])
    .reduce((sum, { total: { sums } }) => sum + (sums[SUM_INDEX[column]] ?? 0), 0)
const total = (rows: Iterable<Row>, cut: Cut, column: SumColumn): number =>
  [...rows].filter((row) => row.cut === cut).reduce((sum, row) => sum + (row.sums[SUM_INDEX[column]] ?? 0), 0)

const arbitraryWindows = fc
  .array(
    fc.record({
      start: fc.integer({ min: 0, max: 20_000 }),
      length: fc.integer({ min: 1, max: 11_000 }),
      tenant: fc.integer({ min: 0, max: 99 }),
      instance: fc.integer({ min: 0, max: 70 }),
      parts: fc.tuple(fc.nat(1_000), fc.nat(1_000), fc.nat(1_000), fc.nat(1_000)),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((each) =>
    each.map(({ start, length, tenant, instance, parts }, i) => {
      const offered = parts.reduce((sum, n) => sum + n, 0)
      return windowOf(i, NOW - 30_000 + start, length, `t${tenant}`, `i${instance}`, [offered, ...parts])
    }),
  )

test('rows hold what was sent, exactly, in any order, in any grouping and at every resolution', () => {
  fc.assert(
    fc.property(arbitraryWindows, fc.integer(), fc.integer({ min: 1, max: 7 }), (windows, seed, groups) => {
      const sent = COLUMNS.map((column) => windows.reduce((sum, { stretches }) => sum + sentIn(stretches, column), 0))
      const shuffled = [...windows].sort(
        (a, b) => ((Number(a.id) * 7919 + seed) % 101) - ((Number(b.id) * 7919 + seed) % 101),
      )
      const seats = new ServiceSeats()
      const rows = Array.from({ length: groups }, (_, group) => [
        ...rollUp(
          shuffled.filter((_, i) => i % groups === group),
          seats,
          NOW,
        ).values(),
      ]).flat()
      for (const each of [rows, [...coarsen(rows, 10).values()], [...coarsen(rows, 60).values()]])
        for (const cut of ['total', 'class', 'tenant', 'instance'] as const)
          expect(COLUMNS.map((column) => total(each, cut, column))).toEqual(sent)
    }),
  )
})

test('the books balance in every single second, also where a window was split', () => {
  fc.assert(
    fc.property(arbitraryWindows, (windows) => {
      for (const row of rollUp(windows, new ServiceSeats(), NOW).values()) {
        const [offered, ...parts] = COLUMNS.map((column) => row.sums[SUM_INDEX[column]] ?? 0)
        expect(offered).toBe(parts.reduce((sum, n) => sum + n, 0))
      }
    }),
  )
})

test('coarse rows are the same however the fine rows were grouped', () => {
  fc.assert(
    fc.property(arbitraryWindows, (windows) => {
      const rows = [...rollUp(windows, new ServiceSeats(), NOW).values()]
      const once = coarsen(rows, 60)
      const twice = coarsen(coarsen(rows, 10).values(), 60)
      expect(twice).toEqual(once)
    }),
  )
})

test('series stay bounded: ten thousand tenants are fifty and other', () => {
  const seats = new ServiceSeats()
  const labels = new Set<string>()
  for (let i = 0; i < 10_000; i++) {
    const window = windowOf(i, NOW - 1_000, 1_000, `t${i}`, `i${i}`, [1, 1, 0, 0, 0])
    for (const row of rollUp([window], seats, NOW).values()) labels.add(`${row.cut} ${row.label}`)
  }
  for (const cut of CUTS) expect([...labels].filter((label) => label.startsWith(cut)).length).toBeLessThanOrEqual(51)
  expect(labels).toContain('tenant other')
})

test('a gauge is its sum over instances at each moment, averaged over the bucket', () => {
  const window = (instance: string, startMs: number, lengthMs: number, limit: number): Window => {
    const made: Window = {
      id: `${instance}${startMs}`,
      environment: 'prod',
      service: 'orders',
      instance,
      numbered: null,
      stretches: [],
    }
    const cell = cellOf(made, { startMs, endMs: startMs + lengthMs }, 'gate', 'checkout', {
      class: null,
      tenant: null,
      reason: null,
      revision: null,
    })
    cell.add('limit_integral', (limit * lengthMs) / 1_000)
    cell.peak('level', limit)
    return made
  }
  const base = NOW - 10_000
  const rows = rollUp(
    [
      ...Array.from({ length: 10 }, (_, i) => window('a', base + i * 1_000 + 250, 1_000, 10)),
      ...Array.from({ length: 10 }, (_, i) => window('b', base + i * 1_000 + 500, 1_000, 30)),
    ],
    new ServiceSeats(),
    NOW,
  )
  const middle = [...rows.values()].filter((row) => row.cut === 'total' && row.second === base / 1_000 + 5)
  expect(middle.map((row) => row.sums[SUM_INDEX.limit_integral])).toEqual([40])
  expect(middle.map((row) => row.peaks[1])).toEqual([30])
})
