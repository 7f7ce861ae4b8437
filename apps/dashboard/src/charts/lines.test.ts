import { describe, expect, it } from 'vitest'
import { Board, overviewSplitter } from '../outcomes/board.ts'
import { Columns, isolated, newest, stack, windowOf } from './lines.ts'

describe('the columns of a chart', () => {
  it('hold a rate per second whatever the bucket', () => {
    const board = new Board(
      10,
      10,
      overviewSplitter(() => false),
    )
    const at = (second: number) => new Date(second * 1000).toISOString()
    board.history(
      {
        kind: 'gate',
        from: at(100),
        to: at(130),
        step: 10,
        groupBy: 'none',
        series: [{ label: '', figures: { offered: [50, null, 20] } }],
        totals: {},
        skewed: 0,
      },
      () => 'fleet',
    )
    const columns = new Columns([
      { id: 'o', label: 'offered', tone: 'offered', line: 'fleet', figure: 'offered', factor: 'rate' },
      { id: 'x', label: 'unheard', tone: 'shed', line: 'nowhere', figure: 'offered', factor: 1 },
    ])
    columns.read(board, windowOf(100, 130, 10))
    expect(columns.x).toEqual([100, 110, 120])
    expect(columns.raw).toEqual([
      [5, null, 2],
      [null, null, null],
    ])
  })

  it('add up what is drawn as one line, and leave a gap where none of it was heard', () => {
    const board = new Board(
      1,
      10,
      overviewSplitter(() => false),
    )
    const answer = { kind: 'gate', groupBy: 'service', step: 1, totals: {}, skewed: 0 } as const
    const time = { from: new Date(100_000).toISOString(), to: new Date(103_000).toISOString() }
    const series = Object.entries({ a: [1, null, 3], b: [10, null, null], c: [100, null, 300] }).map(
      ([label, offered]) => ({ label, figures: { offered } }),
    )
    board.history({ ...answer, ...time, series }, (label) => label)
    const line = { id: 'o', label: 'other', tone: 'c8', figure: 'offered', factor: 1 } as const
    const columns = new Columns([{ ...line, line: 'a', also: ['b', 'c', 'nowhere'] }])
    columns.read(board, windowOf(100, 103, 1))
    expect(columns.raw).toEqual([[111, null, 303]])
  })

  it('stack without turning a gap into a zero', () => {
    const out: (number | null)[][] = [[], []]
    stack(
      [
        [1, null, 3],
        [2, null, null],
      ],
      out,
    )
    expect(out).toEqual([
      [1, null, 3],
      [3, null, 3],
    ])
  })

  it('show a lone point, and know the newest value', () => {
    expect(isolated([null, 1, null, 2, 3, null, 4], 0, 6)).toEqual([1, 6])
    expect([newest([1, 2, null]), newest([1, null, null, null, null, null])]).toEqual([2, null])
  })
})
