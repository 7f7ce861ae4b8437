/** `npm run experiment`: a payment service that leaks until it is killed, called in four published ways and under the whole contract. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { lossesOf, type Round, type Row, rowOf, TITLES } from './experiment/figures.ts'
import { type Flags, readFlags, USAGE } from './experiment/flags.ts'
import { PARAMETERS } from './experiment/parameters.ts'
import { figuresOf, summary, writeReport } from './experiment/report.ts'
import { runStage, STAGES, type StageName } from './experiment/run.ts'

/** As the shell does for SIGINT. */
const INTERRUPTED = 130
/** So that a few seconds see some deaths, and the payments that were put off settled. */
const QUICK = { bufferMb: 8, settleAfterMs: 2_000 }

const progress = (stage: StageName) => (answers: number, deaths: number) => {
  if (process.stdout.isTTY) process.stdout.write(`\r${TITLES[stage]}: ${answers} answers, ${deaths} deaths `)
}

const say = (number: number, { paid, errors, fallbacks, p95, deaths, name }: Row): void => {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K')
  const shares = `${(100 * errors).toFixed(1)} % errors, ${(100 * fallbacks).toFixed(1)} % put off`
  console.log(
    `round ${number}, ${TITLES[name as StageName]}: ${paid.toFixed(1)} paid/s, ${shares}, p95 ${p95.toFixed(0)} ms, ${deaths} deaths`,
  )
}

/** One after the other, so that none takes another's time; side by side where it is not to measure. */
const runRound = async (number: number, { seconds, quick }: Flags, signal: AbortSignal): Promise<Round> => {
  const run = async (stage: StageName) => {
    const { bufferMb, settleAfterMs } = quick ? QUICK : PARAMETERS
    const options = {
      ms: seconds * 1_000,
      seed: number,
      bufferMb,
      settleAfterMs,
      untilSeen: quick,
      signal,
      onProgress: progress(stage),
    }
    const ran = await runStage(stage, options)
    const [row, losses] = [rowOf(ran), lossesOf(ran)]
    say(number, row)
    return { row, losses }
  }
  const ended: Awaited<ReturnType<typeof run>>[] = []
  if (quick) ended.push(...(await Promise.all(STAGES.map(run))))
  else for (const stage of STAGES) ended.push(await run(stage))
  return { rows: ended.map(({ row }) => row), losses: ended.map(({ losses }) => losses) }
}

const main = async (flags: Flags, signal: AbortSignal): Promise<void> => {
  const { rounds, add, report } = flags
  const all: Round[] = add !== null && existsSync(add) ? JSON.parse(readFileSync(add, 'utf8')) : []
  for (let i = 0; i < rounds; i++) {
    all.push(await runRound(all.length + 1, flags, signal))
    if (add !== null) writeFileSync(add, JSON.stringify(all))
  }
  const { rows, losses, verdict } = summary(all)
  console.log(`\n${rows}\n\n${losses}\n\n${verdict}\n`)
  if (report) writeReport(all)
  console.log(JSON.stringify({ figures: figuresOf(all) }))
}

const readOrExit = (): Flags => {
  try {
    return readFlags(process.argv.slice(2))
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`)
    process.exit(2)
  }
}

const flags = readOrExit()
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort())
try {
  await main(flags, interrupted.signal)
} catch (error) {
  if (!interrupted.signal.aborted) throw error
  console.error('Interrupted: nothing of it is left running.')
  process.exitCode = INTERRUPTED
}
