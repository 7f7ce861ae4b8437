import { type Result, type SideResult, sideOf } from './result.ts'
import type { Side } from './run.ts'
import type { Scenario, Stage, Terms } from './scenarios/scenario.ts'
import type { Screen } from './screen.ts'

/** A run whose generator was late is played again, so often at most. */
const TRIES = 3

const sideResult = async (
  scenario: Scenario,
  side: Side,
  terms: Terms,
  stage: Stage,
  screen: Screen,
): Promise<SideResult> => {
  for (let left = TRIES; ; left--) {
    screen.run(`${scenario.name}, ${side}`)
    const result = sideOf(await scenario.play(side, terms, stage), terms)
    const words = `${side}: ${result.figures.goodput} a second done well`
    if (!result.void) {
      stage.say(`${words}.`)
      return result
    }
    stage.say(`${words}; void, the generator was ${result.lagMs} ms late.`)
    if (left === 1 || stage.quick) return result
  }
}

/** Plays a scenario on both sides. */
export const playScenario = async (scenario: Scenario, stage: Stage, screen: Screen): Promise<Result> => {
  const terms = await scenario.prepare(stage)
  const without = await sideResult(scenario, 'without', terms, stage, screen)
  const given = await sideResult(scenario, 'with', terms, stage, screen)
  const { name, title, about } = scenario
  return { name, title, about, seed: stage.seed, capacity: terms.capacity, sides: { without, with: given } }
}
