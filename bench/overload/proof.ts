import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FIGURES, figuresOf } from './figures.ts'
import { plot } from './plot.ts'
import type { CheckResult, Result } from './result.ts'
import type { Side } from './run.ts'

const RESULTS = 'results.json'

/** What was measured before, by earlier runs of other scenarios. */
const kept = async (folder: string): Promise<Result[]> => {
  try {
    return JSON.parse(await readFile(join(folder, RESULTS), 'utf8')) as Result[]
  } catch {
    return []
  }
}

const number = (value: number | null | undefined, digits = 0): string => value?.toFixed(digits) ?? '-'

const ROWS: readonly (readonly [text: string, figure: string, digits: number])[] = [
  ['offered, per second', 'offered', 0],
  ['done well in time, per second', 'goodput', 0],
  ['of what the fleet can do then', 'share', 2],
  ['slowest hundredth of that, ms', 'p99_ms', 0],
  ['refused, per second', 'refused', 0],
  ['failed or left, per second', 'lost', 0],
  ['begun for callers who had left', 'stale', 0],
  ['normal again after the fall, s', 'recovery_s', 2],
  ['done well from second 2 to 7 after the fall, per second', 'goodput_after', 0],
  ['longest stall of an event loop, ms', 'loop_ms', 0],
  ['memory of all services at most, MB', 'memory_mb', 0],
  ['attempts at the bottom for each request', 'attempts', 2],
  ['of what failed in passing, recovered', 'recovered', 2],
  ['done well before the control plane was killed, per second', 'before_kill', 0],
  ['done well after that, per second', 'after_kill', 0],
  ['from publication until the smaller limit is in force, ms', 'tightened_ms', 0],
  ['until the old one is again, ms', 'loosened_ms', 0],
  ['done well under the smaller limit, per second', 'goodput_tight', 0],
]

const MARK = { true: 'holds', false: '**does not hold**', null: 'not asked' } as const
const cell = ({ holds, figure }: CheckResult): string => `${MARK[`${holds}`]}: ${figure}`

const chapter = ({ name, title, about, seed, sides }: Result): string => {
  const both = (of: (side: Side) => string) => `${of('without')} | ${of('with')}`
  const void_ = (['without', 'with'] as const).filter((side) => sides[side].void)
  const lag = `The generator was at most ${sides.without.lagMs} and ${sides.with.lagMs} ms late`
  return `## ${title}

${about} (\`npm run overload -- --scenario ${name} --seed ${seed}\`)

![${title}](${name}.svg)

| while held | without | with Weir |
| --- | --- | --- |
${ROWS.filter(([, figure]) => figure in sides.with.figures)
  .map(([text, figure, digits]) => `| ${text} | ${both((side) => number(sides[side].figures[figure], digits))} |`)
  .join('\n')}

| check | without | with Weir |
| --- | --- | --- |
${sides.with.checks.map((check, i) => `| ${check.invariant} | ${cell(sides.without.checks[i] as CheckResult)} | ${cell(check)} |`).join('\n')}

${void_.length === 0 ? `${lag}.` : `**Void ${void_.join(' and ')}**: ${lag.charAt(0).toLowerCase()}${lag.slice(1)}; with more than 50 the figures say nothing.`}
`
}

const page = (results: readonly Result[]): string => {
  const figures = figuresOf(results)
  const voided = (name: string) =>
    Object.values(results.find((one) => one.name === FIGURES[name]?.of)?.sides ?? {}).some((side) => side.void)
  return `# Driven past capacity, held there, and let go

Written by \`npm run overload\` from [what it measured](${RESULTS}): real processes and real sockets on one machine of two cores, an open-loop load with a core
of its own, the same services without Weir and with it. Latency counts from when a request was to arrive. What did not hold, and what was changed because of it: [findings](findings.md). A published experiment, repeated: [experiment](experiment.md).

| figure | measured | to reach |
| --- | --- | --- |
${Object.entries(figures)
  .map(
    ([name, value]) =>
      `| ${name} | ${number(value, 3)}${voided(name) ? ', void' : ''} | ${FIGURES[name]?.reach ?? ''} |`,
  )
  .join('\n')}

${results.length === 0 ? 'No scenario has been measured yet.\n' : results.map(chapter).join('\n')}`
}

/** Writes pictures, results and the page; scenarios that were not run now keep what they had. */
export const writeProof = async (
  folder: string,
  results: readonly Result[],
  order: readonly string[],
): Promise<void> => {
  await mkdir(folder, { recursive: true })
  const fresh = new Set(results.map(({ name }) => name))
  const all = [...(await kept(folder)).filter(({ name }) => !fresh.has(name)), ...results]
    .filter(({ name }) => order.includes(name))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  for (const result of all) await writeFile(join(folder, `${result.name}.svg`), plot(result))
  await writeFile(join(folder, RESULTS), `${JSON.stringify(all)}\n`)
  await writeFile(join(folder, 'README.md'), page(all))
}
