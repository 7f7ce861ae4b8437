import { describe, expect, it } from 'vitest'
import { askedBounds, boundsOf, isStreamed, rangeOf, rangeSearch } from './range.ts'

describe('the time range in the URL', () => {
  it('is a quarter of an hour, live, where the URL says nothing', () => {
    expect(rangeOf(rangeSearch({}))).toEqual({ live: true, name: '15m', seconds: 900 })
  })

  it('keeps the default out of the URL', () => {
    expect([rangeSearch({ range: '15m' }), rangeSearch({ range: '6h' })]).toEqual([{}, { range: '6h' }])
  })

  it('drops what makes no sense instead of failing', () => {
    const backwards = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }
    expect([{ range: '9y' }, { from: 'soon', to: 'later' }, backwards, { range: 7 }].map(rangeSearch)).toEqual([
      {},
      {},
      {},
      {},
    ])
  })

  it('is fixed between two times', () => {
    const range = rangeOf(rangeSearch({ from: '1970-01-01T00:01:40Z', to: '1970-01-01T00:03:20Z' }))
    expect(range).toEqual({ live: false, from: 100, to: 200, seconds: 100 })
    expect(boundsOf(range, 9_999)).toEqual({ from: 100, to: 200 })
  })

  it('streams only what is live and at most an hour long', () => {
    expect(
      [{ range: '1h' as const }, { range: '6h' as const }, { from: '2026-01-01T00:00:00Z', to: '2026-01-01T00:01:00Z' }]
        .map(rangeOf)
        .map(isStreamed),
    ).toEqual([true, false, false])
  })

  it('asks for seconds only as far back as they are still kept when the question arrives', () => {
    const asked = (range: '1h' | '6h') => askedBounds(rangeOf({ range }), 100_000)
    expect([asked('1h'), asked('6h'), askedBounds(rangeOf({}), 100_000)]).toEqual([
      { from: 96_405, to: 100_000 },
      { from: 78_400, to: 100_000 },
      { from: 99_100, to: 100_000 },
    ])
  })
})
