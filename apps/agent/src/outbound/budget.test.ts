import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/budget.json' with { type: 'json' }
import { budgetFor, RatioBudget, TokenBucketBudget } from './budget.ts'

const tokens = (maxTokens: number, ratio: number) => new TokenBucketBudget({ kind: 'token-bucket', maxTokens, ratio })
const ratio = (share: number, floorPerSecond: number, windowMs: number) =>
  new RatioBudget({ kind: 'ratio', share, floorPerSecond, windowMs }, 0)

describe('retry budgets, from spec/budget.json', () => {
  it.each(cases.tokenBucket)('$name', ({ maxTokens, ratio, steps }) => {
    const budget = tokens(maxTokens, ratio)
    for (const [event, after, retry] of steps) {
      if (event === 'F') budget.failed()
      else budget.succeeded()
      expect(budget.tokens).toBe(after)
      if (retry !== undefined) expect(budget.withdraw()).toBe(retry)
    }
  })

  it('B-72a B-72b successes refill an exhausted bucket: 51 of them at a ratio of 0.1', () => {
    const { maxTokens, ratio, failures, successesUntilARetry } = cases.tokenBucketRecovery
    const budget = tokens(maxTokens, ratio)
    for (let i = 0; i < failures; i++) budget.failed()
    let successes = 0
    while (!budget.withdraw()) {
      budget.succeeded()
      successes++
    }
    expect(successes).toBe(successesUntilARetry)
  })

  it.each(cases.ratio)('$name', ({ share, floorPerSecond, windowMs, deposits, retries }) => {
    const budget = ratio(share, floorPerSecond, windowMs)
    for (let i = 0; i < deposits; i++) budget.deposit(0)
    let granted = 0
    while (granted <= retries && budget.withdraw(0)) granted++
    expect(granted).toBe(retries)
  })

  it.each(cases.leaky)('leaky: $name', ({ windowMs, floorPerSecond, steps }) => {
    const budget = ratio(1, floorPerSecond, windowMs)
    let now = 0
    for (const [event, amount, granted] of steps as [string, number, boolean?][]) {
      if (event === '+') now += amount * 1_000
      if (event === 'D') for (let i = 0; i < amount; i++) budget.deposit(now)
      if (event === 'W') {
        const enough = budget.balance(now) >= amount
        if (enough) for (let i = 0; i < amount; i++) expect(budget.withdraw(now)).toBe(true)
        expect(enough).toBe(granted)
      }
    }
  })
})

describe('retry budgets', () => {
  it('B-66a a single failure leaves retries allowed', () => {
    const budget = tokens(10, 0.1)
    budget.failed()
    expect(budget.withdraw()).toBe(true)
  })

  it('an edit keeps what was used, also downwards and across kinds', () => {
    const budget = tokens(10, 0.1)
    for (let i = 0; i < 3; i++) budget.failed()
    expect(budgetFor({ kind: 'token-bucket', maxTokens: 20, ratio: 0.1 }, budget, 0)).toBe(budget)
    expect(budget.tokens).toBe(17)
    budget.adjust({ kind: 'token-bucket', maxTokens: 5, ratio: 0.1 })
    expect(budget.tokens).toBe(2)
    const other = budgetFor({ kind: 'ratio', share: 0.2, floorPerSecond: 0, windowMs: 1_000 }, budget, 0)
    expect(other.withdraw(0)).toBe(false)
    const empty = ratio(0.5, 0, 1_000)
    empty.deposit(0)
    empty.deposit(0)
    expect(empty.withdraw(0)).toBe(true)
    expect(budgetFor({ kind: 'token-bucket', maxTokens: 10, ratio: 0.1 }, empty, 0).withdraw(0)).toBe(false)
  })

  it('an edit of a ratio budget keeps deposits and withdrawals', () => {
    const budget = ratio(0.5, 0, 1_000)
    for (let i = 0; i < 10; i++) budget.deposit(0)
    for (let i = 0; i < 3; i++) budget.withdraw(0)
    budget.adjust({ kind: 'ratio', share: 0.5, floorPerSecond: 0, windowMs: 2_000 }, 0)
    expect(budget.balance(0)).toBe(2)
  })

  it('reports the share that is left', () => {
    const budget = tokens(10, 0.1)
    expect(budget.left()).toBe(1)
    for (let i = 0; i < 3; i++) budget.failed()
    expect(budget.left()).toBeCloseTo(0.4)
    for (let i = 0; i < 9; i++) budget.failed()
    expect(budget.left()).toBe(0)
    const quiet = ratio(0.2, 0, 1_000)
    expect(quiet.left(0)).toBe(1)
    for (let i = 0; i < 10; i++) quiet.deposit(0)
    quiet.withdraw(0)
    expect(quiet.left(0)).toBe(0.5)
  })

  it('a ratio budget never grants more than share x deposits + floor over any window, however time and calls interleave', () => {
    const step = fc.record({ kind: fc.constantFrom('deposit', 'withdraw'), waitMs: fc.integer({ min: 0, max: 700 }) })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 300 }),
        fc.constantFrom(0, 0.1, 0.5),
        fc.constantFrom(0, 2),
        (steps, share, floor) => {
          const budget = ratio(share, floor, 1_000)
          const deposits: number[] = []
          const grants: number[] = []
          let now = 0
          for (const { kind, waitMs } of steps) {
            now += waitMs
            if (kind === 'deposit') {
              budget.deposit(now)
              deposits.push(now)
            } else if (budget.withdraw(now)) grants.push(now)
            const granted = grants.filter((at) => at > now - 900).length
            const earned = deposits.filter((at) => at > now - 2_000).length
            expect(granted).toBeLessThanOrEqual(earned * share + floor + 1e-9)
          }
        },
      ),
    )
  })
})
