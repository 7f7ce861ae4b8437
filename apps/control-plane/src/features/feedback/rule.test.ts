import { DEFAULT_FEEDBACK, type FeedbackPolicy } from '@weir/policy/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FORGOTTEN_MS, look, type RuleState, ruleState } from './rule.ts'

const RULE: FeedbackPolicy = { ...DEFAULT_FEEDBACK, resource: 'checkout' }
const STEP_MS = RULE.stepSeconds * 1_000

/** Looks at one lag after another, a step apart. */
const looks = (lags: readonly (number | null)[], rule = RULE, from = ruleState(1, 0)) => {
  const states: RuleState[] = []
  let state = from
  for (const lag of lags) {
    state = look(state, lag, rule, state.atMs + rule.stepSeconds * 1_000)
    states.push(state)
  }
  return states
}
const scales = (states: readonly RuleState[]) => states.map(({ scale }) => scale)
const phases = (states: readonly RuleState[]) => states.map(({ phase }) => phase)

describe('the rule of feedback', () => {
  it('cuts at the second look in a row at which the lag is long, down to the least share', () => {
    expect(scales(looks([600, 600, 600, 600]))).toEqual([1, 0.7, 0.49, 0.343])
    expect(scales(looks(Array(9).fill(600))).at(-1)).toBe(0.1)
    expect(scales(looks([600, 20, 600, 20, 600]))).toEqual([1, 1, 1, 1, 1])
  })

  it('gives back at the second look in a row at which it is short, and waits in between', () => {
    const states = looks([10, 10, 10, 59, 15, 15, 15], RULE, ruleState(0.5, 0))
    expect(scales(states)).toEqual([0.5, 0.6, 0.7, 0.7, 0.7, 0.8, 0.9])
    expect(phases(states)).toEqual([
      'holding',
      'returning',
      'returning',
      'holding',
      'holding',
      'returning',
      'returning',
    ])
    expect(looks([10, 10, 10], RULE, ruleState(0.95, 0)).map(({ phase }) => phase)).toEqual([
      'holding',
      'whole',
      'whole',
    ])
  })

  it('lets a lag fall that falls fast enough, and cuts on where it would take too long', () => {
    expect(scales(looks([600, 600, 500, 400, 300, 200, 100]))).toEqual([1, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7])
    expect(scales(looks([600, 600, 599, 598]))).toEqual([1, 0.7, 0.49, 0.343])
  })

  it('waits where nobody knows, and gives back after ten minutes of it', () => {
    const cut = ruleState(0.5, 0)
    const silent = looks(Array(Math.ceil(FORGOTTEN_MS / STEP_MS) + 8).fill(null), RULE, cut)
    const last = Math.floor(FORGOTTEN_MS / STEP_MS) - 1
    expect([silent[last - 1]?.scale, silent[last - 1]?.phase]).toEqual([0.5, 'unknown'])
    expect(silent.at(-1)?.scale).toBe(1)
    expect(phases(looks([null, null]))).toEqual(['whole', 'whole'])
    expect(scales(looks([600, null, 600, 600]))).toEqual([1, 1, 1, 0.7])
  })

  it('stays between the least share and the whole, whatever the lag', () => {
    const lag = fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e9, noNaN: true }))
    fc.assert(
      fc.property(fc.array(lag, { maxLength: 60 }), fc.double({ min: 0.01, max: 1, noNaN: true }), (lags, least) => {
        const rule = { ...RULE, least }
        for (const { scale } of looks(lags, rule)) {
          expect(scale).toBeGreaterThanOrEqual(least)
          expect(scale).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('leaves a share that is below the least of a new policy where it is', () => {
    expect(scales(looks([600, 600], { ...RULE, least: 0.5 }, ruleState(0.2, 0)))).toEqual([0.2, 0.2])
  })
})

/** Producers that want `demand` per second and may have `quota` times the share, a consumer that does `capacity`; lag is the age of the oldest. */
const closedLoop = (world: {
  demand: number
  quota: number
  capacity: number
  behindSeconds: number
  seconds: number
}) => {
  const backlog: { madeAt: number; count: number }[] = []
  for (let s = -world.behindSeconds; s < 0; s++) backlog.push({ madeAt: s, count: world.capacity })
  let state = ruleState(1, 0)
  const seen: { second: number; scale: number; lag: number }[] = []
  for (let second = 0; second < world.seconds; second++) {
    backlog.push({ madeAt: second, count: Math.min(world.demand, world.quota * state.scale) })
    let left = world.capacity
    while (left > 0 && backlog[0]) {
      const taken = Math.min(left, backlog[0].count)
      backlog[0].count -= taken
      left -= taken
      if (backlog[0].count <= 1e-9) backlog.shift()
    }
    const lag = backlog[0] ? second - backlog[0].madeAt : 0
    if (second * 1_000 - state.atMs >= STEP_MS) state = look(state, lag, RULE, second * 1_000)
    seen.push({ second, scale: state.scale, lag })
  }
  return seen
}
const turns = (values: readonly number[]): number => {
  let turned = 0
  let direction = 0
  for (let i = 1; i < values.length; i++) {
    const step = Math.sign((values[i] ?? 0) - (values[i - 1] ?? 0))
    if (step === 0) continue
    if (direction !== 0 && step !== direction) turned++
    direction = step
  }
  return turned
}

describe('the rule in a closed loop', () => {
  it('M3 ten minutes behind: the quota falls, the consumer catches up, the quota comes back, once', () => {
    const seen = closedLoop({ demand: 80, quota: 80, capacity: 100, behindSeconds: 600, seconds: 3_600 })
    expect(Math.min(...seen.map(({ scale }) => scale))).toBeLessThan(0.5)
    expect(seen.at(-1)).toMatchObject({ scale: 1, lag: 0 })
    expect(turns(seen.map(({ scale }) => scale))).toBe(1)
    const caughtUp = seen.findIndex(({ lag }) => lag <= 15)
    expect(caughtUp).toBeLessThan(1_500)
  })

  it('M3 producers that could make twice what is consumed: the lag stays bounded and the share swings slowly', () => {
    const seen = closedLoop({ demand: 200, quota: 200, capacity: 100, behindSeconds: 0, seconds: 7_200 }).slice(3_600)
    expect(Math.max(...seen.map(({ lag }) => lag))).toBeLessThan(3 * RULE.lagSeconds.open)
    expect(turns(seen.map(({ scale }) => scale))).toBeLessThan(3_600 / (6 * RULE.stepSeconds))
    const mean = seen.reduce((sum, { scale }) => sum + scale, 0) / seen.length
    expect(mean * 200).toBeGreaterThan(80)
    expect(mean * 200).toBeLessThanOrEqual(105)
  })
})
