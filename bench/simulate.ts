/** `npm run bench:simulate`: what the simulator says of two loads beside what a real process did with them, and how fast it is. */
import { trafficSchema } from '@weir/api'
import { readPolicy } from '@weir/policy'
import { simulate } from '@weir/simulator'
import { hold, type Shape } from '@weir/testkit'
import { histogramOf, percentile, type Row, shares } from './simulate/compare.ts'
import { offer, type Run, type Seen, startService } from './simulate/real.ts'
import { TRIALS, type Trial } from './simulate/shapes.ts'

const ARRIVALS = 1_000_000
/** A sender that was later than this did not offer what it should have. */
const MOST_LAG_MS = 50

const policyOf = (document: string) => {
  const read = readPolicy(document)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.policy
}

const figures: Record<string, number> = {}
const round = (value: number, digits = 1): number => Math.round(value * 10 ** digits) / 10 ** digits

const predict = (trial: Trial, ranMs: readonly number[]) => {
  const traffic = trafficSchema.parse({
    version: 1,
    gates: {
      checkout: {
        service: { time: histogramOf(ranMs), concurrency: trial.service.connections ?? null },
        load: { stretches: stretches(trial.shape), ...trial.mix },
      },
    },
  })
  return simulate({ traffic, effective: { policy: policyOf(trial.policy), quotas: trial.quotas }, seed: 3 })
}
const stretches = (shape: Shape) => shape.map(({ ms, from, to }) => ({ ms, perSecond: from, to }))

const million = async (): Promise<void> => {
  const traffic = trafficSchema.parse({
    version: 1,
    gates: {
      checkout: {
        service: { time: { kind: 'lognormal', medianMs: 40, p99Ms: 160 } },
        load: {
          stretches: stretches([hold(800, (ARRIVALS / 800) * 1_000)]),
          classes: { critical: 1, sheddable: 3 },
          tenants: { acme: 2, zeta: 1 },
        },
      },
    },
  })
  const policy = policyOf(TRIALS[0]?.policy ?? '')
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const { arrivals } = await simulate({ traffic, effective: { policy, quotas: {} } })
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  figures.seconds_1m = round((seconds * ARRIVALS) / arrivals, 2)
  figures.cpu_seconds_1m = round(((user + system) / 1e6) * (ARRIVALS / arrivals), 2)
  figures.arrivals_per_s = Math.round(arrivals / seconds)
  console.log(`${arrivals} arrivals at twice the capacity in ${seconds.toFixed(1)} s.\n`)
}

/** A run of which the sender was late says little: then there is another, at most so many. */
const TRIES = 2

interface Played {
  /** Requests on which nothing waited. */
  readonly calm: readonly Seen[]
  readonly real: Run
}

const play = async (trial: Trial): Promise<Played> => {
  const runs: Played[] = []
  while (runs.length < TRIES && !runs.some(({ real }) => real.lagMs <= MOST_LAG_MS)) {
    const service = await startService(trial.policy, trial.service)
    const before = await offer(service.url, trial.calm, trial.mix, 11)
    const real = await offer(service.url, trial.shape, trial.mix, 12)
    // Before and after, for what else the machine does comes and goes.
    const after = await offer(service.url, trial.calm, trial.mix, 13)
    await service.stop()
    runs.push({ calm: [...before.seen, ...after.seen], real })
  }
  return runs.toSorted((a, b) => a.real.lagMs - b.real.lagMs)[0] as Played
}

const measure = async (trial: Trial): Promise<void> => {
  const { calm, real } = await play(trial)
  const accepted = real.seen.filter((one) => one.accepted).map(({ ms }) => ms)
  const { gates } = await predict(
    trial,
    calm.filter((one) => one.accepted).map(({ ranMs }) => ranMs),
  )
  const gate = gates.checkout
  if (!gate) throw new Error('Nothing was predicted.')
  const rows = shares(real.seen, gate)
  const p99 = { measured: percentile(accepted, 0.99), predicted: gate.latencyMs?.p99 ?? Number.NaN }
  tell(trial, real, rows, p99)
  const errors = rows.map(({ measured, predicted }) => 100 * Math.abs(measured - predicted))
  figures[`share_error_points_${trial.name}`] = round(Math.max(...errors))
  figures[`p99_measured_ms_${trial.name}`] = round(p99.measured)
  figures[`p99_predicted_ms_${trial.name}`] = round(p99.predicted)
  figures[`p99_error_percent_${trial.name}`] = round(100 * Math.abs(p99.predicted / p99.measured - 1))
  figures[`sender_lag_ms_${trial.name}`] = round(real.lagMs)
}

const tell = (trial: Trial, real: Run, rows: readonly Row[], p99: Omit<Row, 'what'>): void => {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(8)
  console.log(`${trial.name}: ${real.seen.length} requests, the sender late by ${real.lagMs.toFixed(0)} ms at most`)
  for (const { what, measured, predicted } of rows)
    console.log(`  accepted of ${what.padEnd(16)} measured ${percent(measured)}  predicted ${percent(predicted)}`)
  const ms = (value: number): string => `${value.toFixed(0)} ms`.padStart(8)
  console.log(`  p99 of what was accepted     measured ${ms(p99.measured)}  predicted ${ms(p99.predicted)}\n`)
}

await million()
for (const trial of TRIALS) await measure(trial)
console.log(JSON.stringify({ figures }))
