import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AlertEvent,
  CALM,
  firing,
  type Heard,
  SILENT_SECONDS,
  step,
  type Watch,
  WINDOW_SECONDS,
} from './evaluate.ts'

const RULE = { share: 0.1, forSeconds: 10 }
const at = (share: number, offered = 100): Heard => ({ offered, refused: offered * share })
const seconds = (n: number, heard: Heard | null) => new Array<Heard | null>(n).fill(heard)

/** Runs seconds through the rule: `[second, event]` of everything that happened. */
const run = (inputs: readonly (Heard | null)[], from: Watch = CALM, rule = RULE): [number, AlertEvent['kind']][] => {
  const events: [number, AlertEvent['kind']][] = []
  let watch = from
  for (const [second, heard] of inputs.entries()) {
    const next = step(watch, rule, heard)
    watch = next.watch
    if (next.event !== null) events.push([second, next.event.kind])
  }
  return events
}

test.each<[string, (Heard | null)[], [number, AlertEvent['kind']][]]>([
  ['nothing', seconds(100, null), []],
  ['calm', seconds(100, at(0)), []],
  ['exactly the share', seconds(100, at(0.1)), []],
  ['above, but a second too short', [...seconds(9, at(0.5)), ...seconds(30, at(0))], []],
  [
    'above for just long enough',
    [...seconds(10, at(0.5)), ...seconds(30, at(0))],
    [
      [9, 'raised'],
      [22, 'resolved'],
    ],
  ],
  ['above for long', seconds(30, at(0.5)), [[9, 'raised']]],
  ['too little offered to tell', seconds(100, at(1, 1)), []],
  [
    'above, then calm',
    [...seconds(20, at(0.5)), ...seconds(30, at(0))],
    [
      [9, 'raised'],
      [32, 'resolved'],
    ],
  ],
  ['swinging around the share', Array.from({ length: 60 }, (_, i) => at(i % 2 === 0 ? 0.3 : 0)), [[10, 'raised']]],
  [
    'dips shorter than the rule',
    [...seconds(20, at(0.5)), ...seconds(9, at(0)), ...seconds(20, at(0.5))],
    [[9, 'raised']],
  ],
  ['silence in between', [...seconds(5, at(0.5)), ...seconds(60, null), ...seconds(5, at(0.5))], [[69, 'raised']]],
  [
    'a peak',
    [...seconds(20, at(0.5)), ...seconds(5, at(1)), ...seconds(5, at(1))],
    [[9, 'raised'], ...[20, 21, 22, 23, 24].map((n): [number, 'peaked'] => [n, 'peaked'])],
  ],
  [
    'two episodes',
    [...seconds(15, at(0.5)), ...seconds(30, at(0)), ...seconds(15, at(0.5))],
    [
      [9, 'raised'],
      [27, 'resolved'],
      [55, 'raised'],
    ],
  ],
])('%s', (_, inputs, events) => {
  expect(run(inputs)).toEqual(events)
})

test('what fires through a silence ends when the silent are presumed dead', () => {
  expect(run(seconds(SILENT_SECONDS - 1, null), firing(0.5))).toEqual([])
  expect(run(seconds(SILENT_SECONDS + RULE.forSeconds, null), firing(0.5))).toEqual([
    [SILENT_SECONDS + RULE.forSeconds - 2, 'resolved'],
  ])
})

test('an alert that fired before goes on without a second one', () => {
  expect(run(seconds(30, at(0.5)), firing(0.6))).toEqual([])
  expect(run([...seconds(5, at(0.5)), ...seconds(20, at(0))], firing(0.6))).toEqual([[17, 'resolved']])
})

test('events alternate, and never come sooner than the rule says', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.record({ offered: fc.nat(200), share: fc.double({ min: 0, max: 1, noNaN: true }) })), {
        maxLength: 300,
      }),
      (inputs) => {
        const events = run(inputs.map((heard) => heard && at(heard.share, heard.offered))).filter(
          ([, kind]) => kind !== 'peaked',
        )
        let last = -1
        for (const [i, [second, kind]] of events.entries()) {
          expect(kind).toBe(i % 2 === 0 ? 'raised' : 'resolved')
          expect(second - last).toBeGreaterThanOrEqual(RULE.forSeconds)
          last = second
        }
      },
    ),
  )
})

test('the watch stays small', () => {
  let watch = CALM
  for (let i = 0; i < 10_000; i++) watch = step(watch, RULE, at(0.5)).watch
  expect(watch.window).toHaveLength(WINDOW_SECONDS)
})
