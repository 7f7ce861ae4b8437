import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CALM, clearSeconds, type Phase, SILENT_SECONDS, step } from './phase.ts'
import type { Reading } from './reading.ts'

const reading = (value: number): Reading => ({
  value,
  threshold: 0.1,
  above: value > 0.1,
  clear: value < 0.08,
  figures: {},
  summary: '',
})
const FOR = 30

/** `[bucket, event]` of everything that happened. */
const run = (values: readonly (number | null)[], from: Phase = CALM): [number, string][] => {
  let phase = from
  return values.flatMap((value, bucket): [number, string][] => {
    const next = step(phase, FOR, value === null ? null : reading(value))
    phase = next.phase
    return next.event === null ? [] : [[bucket, next.event.kind]]
  })
}
const times = (n: number, value: number | null) => new Array<number | null>(n).fill(value)

it.each<[string, (number | null)[], [number, string][]]>([
  ['nothing', times(50, null), []],
  ['calm', times(50, 0), []],
  ['a bucket too short', [...times(5, 0.5), 0, ...times(5, 0.5)], []],
  ['for as long as it must', times(6, 0.5), [[5, 'raise']]],
  [
    'what was not heard neither holds nor breaks',
    [...times(3, 0.5), ...times(20, null), ...times(3, 0.5)],
    [[25, 'raise']],
  ],
  ['between the two nothing changes', [...times(6, 0.5), ...times(40, 0.09)], [[5, 'raise']]],
  [
    'clear for as long',
    [...times(6, 0.5), ...times(6, 0)],
    [
      [5, 'raise'],
      [11, 'resolve'],
    ],
  ],
  ['a dip is no end', [...times(6, 0.5), ...times(5, 0), 0.5, ...times(5, 0)], [[5, 'raise']]],
  [
    'worse is told once',
    [...times(6, 0.2), 0.4, 0.4, 0.3],
    [
      [5, 'raise'],
      [6, 'worse'],
    ],
  ],
  [
    'silence ends it when the silent are presumed dead',
    [...times(6, 0.5), ...times(SILENT_SECONDS / 5 - 1, null), ...times(6, null)],
    [
      [5, 'raise'],
      [5 + SILENT_SECONDS / 5 + 5, 'resolve'],
    ],
  ],
])('%s', (_, values, events) => {
  expect(run(values)).toEqual(events)
})

it('ends no sooner than after 15 s, however short its rule', () => {
  expect(clearSeconds(5)).toBe(15)
  expect(clearSeconds(300)).toBe(300)
})

it('raises and resolves in turns, and starts with raising, whatever comes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 300 }),
      (values) => {
        const kinds = run(values)
          .map(([, kind]) => kind)
          .filter((kind) => kind !== 'worse')
        expect(kinds.every((kind, i) => kind === (i % 2 === 0 ? 'raise' : 'resolve'))).toBe(true)
      },
    ),
  )
})
