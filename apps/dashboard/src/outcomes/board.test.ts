import type { LiveRow, Outcomes } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { Board, overviewSplitter, serviceSplitter } from './board.ts'

const gate = (service: string, name: string, edge: boolean, offered: number, by?: LiveRow['by']): LiveRow => ({
  kind: 'gate',
  service,
  name,
  edge,
  figures: { offered },
  ...(by === undefined ? {} : { by }),
})
const history = (label: string, offered: (number | null)[]): Outcomes => ({
  kind: 'gate',
  from: new Date(100_000).toISOString(),
  to: new Date(200_000).toISOString(),
  step: 1,
  groupBy: 'service',
  series: [{ label, figures: { offered } }],
  totals: {},
  skewed: 0,
})

describe('the board of a page', () => {
  it('sums the edge gates for the fleet and all gates for a service', () => {
    const board = new Board(
      1,
      10,
      overviewSplitter(() => true),
    )
    board.tick({
      second: 100,
      rows: [gate('web', 'in', true, 5), gate('pay', 'in', false, 3), gate('pay', 'x', true, 2)],
    })
    expect(board.line('fleet')?.at(100, 'offered')).toBe(7)
    expect(board.line('service:pay')?.at(100, 'offered')).toBe(5)
  })

  it('knows silence from not having read yet', () => {
    const [streamed, kept] = [1, 2].map(() => new Board(1, 10, serviceSplitter(null)))
    streamed?.tick({ second: 100, rows: [] })
    expect(streamed?.read).toBe(false)
    streamed?.tick({ second: 101, rows: [gate('web', 'in', true, 5)] })
    expect(streamed?.read).toBe(true)
    kept?.history({ ...history('web', []), series: [] }, (label) => label)
    expect(kept?.read).toBe(true)
  })

  it('keeps its books of calls apart from its books of work', () => {
    const board = new Board(1, 10, serviceSplitter(null))
    board.tick({
      second: 100,
      rows: [
        gate('pay', 'in', true, 3),
        { kind: 'dependency', service: 'pay', name: 'bank', edge: false, figures: { calls: 9, completed: 9 } },
      ],
    })
    expect(board.line('work')?.at(100, 'completed')).toBeNull()
    expect(board.line('dependency:bank')?.at(100, 'calls')).toBe(9)
  })

  it('follows the chosen gate only, also by reason', () => {
    const board = new Board(1, 10, serviceSplitter({ kind: 'gate', name: 'a' }))
    board.tick({
      second: 100,
      rows: [
        gate('s', 'a', true, 1, { reason: { 'limit-reached': { shed: 4 } }, class: {}, tenant: {} }),
        gate('s', 'b', true, 2, { reason: { 'limit-reached': { shed: 9 } }, class: {}, tenant: {} }),
      ],
    })
    expect(board.line('work')?.at(100, 'offered')).toBe(1)
    expect(board.line('reason:limit-reached')?.at(100, 'shed')).toBe(4)
  })

  it('follows the chosen dependency, whatever a gate of the same name does', () => {
    const board = new Board(1, 10, serviceSplitter({ kind: 'dependency', name: 'bank' }))
    const by = { reason: { 'breaker-open': { shed: 2 } }, class: {}, tenant: {} }
    board.tick({
      second: 100,
      rows: [
        gate('s', 'bank', true, 7),
        { kind: 'dependency', service: 's', name: 'bank', edge: false, figures: { calls: 9 }, by },
        { kind: 'dependency', service: 's', name: 'mail', edge: false, figures: { calls: 4 } },
      ],
    })
    expect(board.line('work')?.at(100, 'calls')).toBe(9)
    expect(board.line('work')?.at(100, 'offered')).toBeNull()
    expect(board.line('reason:breaker-open')?.at(100, 'shed')).toBe(2)
  })

  it('draws a class that had no work in a heard second as 0, and a second that nobody heard as a gap', () => {
    const board = new Board(1, 20, serviceSplitter(null))
    board.tick({ second: 100, rows: [gate('s', 'a', true, 1, { class: { critical: { offered: 1 } } } as never)] })
    board.tick({ second: 102, rows: [gate('s', 'a', true, 1, { class: {} } as never)] })
    const line = board.line('class:critical')
    expect([100, 101, 102].map((s) => line?.at(s, 'offered'))).toEqual([1, null, 0])
  })

  it('joins history and live on one axis and leaves what nobody heard a gap', () => {
    const board = new Board(
      1,
      20,
      overviewSplitter(() => false),
    )
    board.history(history('web', [1, null, 3]), (label) => `service:${label}`)
    board.tick({ second: 104, rows: [gate('web', 'in', true, 9)] })
    const line = board.line('service:web')
    expect([100, 101, 102, 103, 104].map((s) => line?.at(s, 'offered'))).toEqual([1, null, 3, null, 9])
  })

  it('tells its listeners once a tick, and no longer once they left', () => {
    const board = new Board(1, 10, serviceSplitter(null))
    let told = 0
    const leave = board.subscribe(() => told++)
    board.tick({ second: 100, rows: [gate('s', 'a', true, 1)] })
    leave()
    board.tick({ second: 101, rows: [] })
    expect(told).toBe(1)
  })
})
