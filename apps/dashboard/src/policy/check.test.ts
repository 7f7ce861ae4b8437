import { describe, expect, it } from 'vitest'
import { check, dotted, spanOf } from './check.ts'

const FIVE = `version: 1
gates:
  checkout:
    concurrency: 0
    queue:
      maxWaitMs: soon
    colour: red
  pay.out:
    mode: perhaps
dependencies:
  bank:
    retry:
      maxAttempts: 9
`

describe('validation as one types', () => {
  it('finds every problem, each at its line', () => {
    const { problems } = check(FIVE)
    expect(problems.map(({ path, line }) => [path, line])).toEqual(
      expect.arrayContaining([
        ['gates.checkout.queue.maxWaitMs', 6],
        ['gates.checkout.colour', 7],
        [dotted(['gates', 'pay.out', 'mode']), 9],
        ['dependencies.bank.retry.maxAttempts', 13],
      ]),
    )
    expect(problems.some(({ path, line }) => path.startsWith('gates.checkout.concurrency') && line === 4)).toBe(true)
    const colour = problems.find(({ path }) => path === 'gates.checkout.colour')
    expect(FIVE.slice(colour?.span.from, colour?.span.to)).toBe('colour: red')
  })

  it('says where a text stops to parse', () => {
    const { value, problems } = check('gates:\n  a: [1\n')
    expect(value).toBeUndefined()
    expect(problems[0]?.line).toBeGreaterThanOrEqual(2)
  })

  it('has nothing to say about an empty document: every default is useful', () => {
    expect(check('').problems).toEqual([])
  })
})

it('finds where a document names an item', () => {
  const at = (...path: string[]) => {
    const span = spanOf(FIVE, path)
    return span === null ? null : [span.from, FIVE.slice(span.from, span.to)]
  }
  expect(at('gates', 'pay.out')).toEqual([FIVE.indexOf('pay.out'), 'pay.out'])
  expect(at('dependencies', 'bank')).toEqual([FIVE.indexOf('bank'), 'bank'])
  expect([at('gates', 'bank'), at('nothing', 'bank'), spanOf(': [', ['gates', 'x'])]).toEqual([null, null, null])
})
