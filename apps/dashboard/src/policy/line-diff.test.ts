import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

const shown = (a: string, b: string) =>
  lineDiff(a, b).map(({ kind, text }) => `${kind === 'same' ? ' ' : kind === 'added' ? '+' : '-'}${text}`)

describe('the difference of two texts by lines', () => {
  it('shows a changed line as removed and added, among what stayed', () => {
    expect(shown('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c'])
  })

  it('rebuilds both texts from its lines, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = lineDiff(a, b)
        const side = (kind: string) =>
          lines
            .filter((line) => line.kind !== kind)
            .map((line) => line.text)
            .join('\n')
        expect([side('added'), side('removed')]).toEqual([a, b])
      }),
    )
  })
})
