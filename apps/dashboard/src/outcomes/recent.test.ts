import { describe, expect, it } from 'vitest'
import { Board, serviceSplitter } from './board.ts'
import { recentFigures } from './recent.ts'

const board = () => new Board(1, 60, serviceSplitter(null))
const row = (offered: number) => ({ kind: 'gate' as const, service: 's', name: 'g', edge: true, figures: { offered } })

describe('the newest figures', () => {
  it('are averaged over the seconds that were heard, not over the gaps', () => {
    const one = board()
    for (const second of [91, 95, 100]) one.tick({ second, rows: [row(30)] })
    const { figures, seconds } = recentFigures(one, 'work', 10, 102)
    expect([figures.offered, seconds]).toEqual([90, 3])
  })

  it('are none once they are old: a figure of a minute ago is not shown as now', () => {
    const one = board()
    one.tick({ second: 100, rows: [row(30)] })
    expect([recentFigures(one, 'work', 10, 120).seconds, recentFigures(one, 'work', 10, 160).seconds]).toEqual([1, 0])
  })

  it('are none before anything was heard', () => {
    expect(recentFigures(board(), 'work', 10, 102)).toEqual({ figures: {}, seconds: 0 })
  })
})
