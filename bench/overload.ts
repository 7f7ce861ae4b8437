/** `npm run overload`: services driven past their capacity, held there and let go, without Weir and with it. The last line is JSON. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pinned } from './overload/children.ts'
import { figuresOf } from './overload/figures.ts'
import { type Options, readOptions, USAGE } from './overload/options.ts'
import { writeProof } from './overload/proof.ts'
import type { Result } from './overload/result.ts'
import { SCENARIOS } from './overload/scenarios/all.ts'
import type { Stage } from './overload/scenarios/scenario.ts'
import { broken, Screen, table } from './overload/screen.ts'
import { playScenario } from './overload/stages.ts'

const names = SCENARIOS.map(({ name }) => name)

const given = (): Options | null => {
  try {
    return readOptions(process.argv.slice(2), names)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE(names)}`)
    return null
  }
}

const measure = async ({ quick, seed, scenarios, out }: Options): Promise<void> => {
  const chosen = SCENARIOS.filter(({ name, quick: short }) =>
    scenarios.length > 0 ? scenarios.includes(name) : short || !quick,
  )
  if (!pinned) console.log('No core of its own for the load generator: what it measures is noisier.')
  const screen = new Screen()
  const folder = await mkdtemp(join(tmpdir(), 'weir-overload-'))
  const results: Result[] = []
  const { say, progress } = screen
  const stage: Stage = { seed, quick, folder, shared: new Map(), capacities: new Map(), say, progress }
  try {
    for (const [i, scenario] of chosen.entries()) {
      console.log(`\n${i + 1} of ${chosen.length}: ${scenario.title} (${scenario.name})`)
      results.push(await playScenario(scenario, stage, screen))
      if (out !== null) await writeProof(out, results, names)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  console.log(`\n${table(results)}\n`)
  for (const line of broken(results, quick)) console.log(line)
  if (out !== null) console.log(`Pictures and results: ${out}`)
  const checks = Object.fromEntries(results.map(({ name, sides }) => [name, sides.with.checks]))
  // A figure of a scenario whose generator was late says nothing.
  const late = results.filter(({ sides }) => sides.with.void || sides.without.void).map(({ name }) => name)
  console.log(JSON.stringify({ figures: figuresOf(results), void: late, seed, checks }))
}

const options = given()
if (options === null) process.exitCode = 2
else if (options.help) console.log(USAGE(names))
else await measure(options)
