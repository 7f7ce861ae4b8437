import type { Outcome } from './load/plan.ts'
import {
  arrivedPerSecond,
  booked,
  count,
  endedPerSecond,
  grew,
  latencies,
  percentile,
  recovery,
  samplesOf,
} from './measure.ts'
import type { Run } from './run.ts'
import type { Terms } from './scenarios/scenario.ts'

/** What a check found. `holds` is `null` where it does not apply; `figure` then says why. */
export interface Found {
  readonly holds: boolean | null
  readonly figure: string
  readonly values?: Readonly<Record<string, number>>
}

interface Check {
  readonly id: string
  readonly invariant: string
  readonly look: (run: Run, terms: Terms) => Found
}

const notHere = (why: string): Found => ({ holds: null, figure: why })
const percent = (share: number): string => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`
const ms = (value: number): string => (Number.isNaN(value) ? '-' : `${value.toFixed(0)} ms`)

const MEMORY_MB = 64
/** Queues are bounded by the policy; memory may grow by what a warm process still takes while the load is held. */
const bounded = (run: Run, { queueBound, scarce }: Terms): Found => {
  const waiting = Math.max(
    ...run.services.flatMap(({ name, samples }) =>
      samples.map(({ gates, waiting }) =>
        Math.max(scarce.includes(name) ? waiting : 0, ...gates.map((gate) => gate.waiting)),
      ),
    ),
  )
  const [from, to] = run.spans.hold
  const quarter = (to - from) / 4
  const top = (name: string, span: readonly [number, number]) =>
    Math.max(...samplesOf(run, name, span).map(({ rssMb }) => rssMb))
  const growth = run.services.reduce(
    (sum, { name }) => sum + top(name, [to - quarter, to]) - top(name, [from, from + quarter]),
    0,
  )
  return {
    holds: waiting <= queueBound && growth <= MEMORY_MB,
    figure: `at most ${waiting} waited (bound ${queueBound}), memory ${growth >= 0 ? '+' : ''}${growth.toFixed(0)} MB while held`,
    values: { waiting, growth_mb: growth },
  }
}

const NOT_REFUSED: readonly Outcome[] = ['ok', 'failed', 'gave-up']
const inTime = (run: Run, { judged: kinds }: Terms): Found => {
  const arrived = run.spans.hold
  const well = latencies(run, { kinds, arrived, outcomes: ['ok'] })
  const taken = count(run, { kinds, arrived, outcomes: NOT_REFUSED })
  const p99 = percentile(well, 0.99)
  const late = taken === 0 ? 0 : 1 - well.length / taken
  return {
    holds: taken > 0 && late <= 0.01 && p99 <= run.patienceMs,
    figure: `${percent(late)} of what was not refused did not end well in time; p99 ${ms(p99)} of ${run.patienceMs}`,
    values: { late, p99_ms: p99 },
  }
}

/** Processor time of all services; of a refusal what is left of the hold's when the good answers are paid for as in the calm. */
const cheapRefusals = (run: Run, { judged: kinds }: Terms): Found => {
  const { calm, hold } = run.spans
  const refusals = latencies(run, { kinds, ended: hold, outcomes: ['refused', 'untyped'] })
  if (refusals.length === 0) return notHere('nothing was refused')
  const untyped = count(run, { kinds, ended: hold, outcomes: ['untyped'] })
  const cpu = (span: readonly [number, number]) =>
    run.services.reduce((sum, { name }) => sum + grew(run, name, ({ cpuMs }) => cpuMs, span), 0)
  const served = cpu(calm) / Math.max(1, count(run, { ended: calm, outcomes: ['ok'] }))
  const refused = Math.max(0, cpu(hold) - served * count(run, { ended: hold, outcomes: ['ok'] })) / refusals.length
  const p99 = percentile(refusals, 0.99)
  return {
    holds: untyped === 0 && p99 <= run.patienceMs / 2 && refused <= served / 2,
    figure: `answered in ${ms(percentile(refusals, 0.5))}, p99 ${ms(p99)}; ${percent(refused / served)} of the processor time of a good answer; ${untyped === 0 ? 'all typed' : `${untyped} untyped`}`,
    values: { refusal_p99_ms: p99, refusal_cost: refused / served, untyped },
  }
}

const RETRY_BOUND = 1.1
const budgeted = (run: Run, { attempts }: Terms): Found => {
  const sent = attempts?.(run) ?? Number.NaN
  if (Number.isNaN(sent)) return notHere('nobody retries')
  return { holds: sent <= RETRY_BOUND, figure: `${sent.toFixed(2)} attempts a request`, values: { attempts: sent } }
}

const reserved = (run: Run, { owed = {}, capacity, left = 1 }: Terms): Found => {
  const { hold } = run.spans
  const rows = Object.entries(owed).map(([kind, share]) => {
    const due = Math.min(share * capacity * left, arrivedPerSecond(run, hold, { kinds: [kind] }))
    return { kind, got: endedPerSecond(run, hold, { kinds: [kind], outcomes: ['ok'] }) / due }
  })
  return {
    holds: rows.every(({ got }) => got >= 0.9),
    figure: rows.map(({ kind, got }) => `${kind.replace('order ', '')} ${percent(got)}`).join(', '),
    values: Object.fromEntries(rows.map(({ kind, got }) => [kind, got])),
  }
}

const nothingStale = (run: Run, { scarce }: Terms): Found => {
  const all = (of: 'begun' | 'stale') => scarce.reduce((sum, name) => sum + (samplesOf(run, name).at(-1)?.[of] ?? 0), 0)
  const [begun, stale] = [all('begun'), all('stale')]
  return {
    holds: stale === 0,
    figure: `${stale} of ${begun} were begun for callers who had left`,
    values: { stale, begun },
  }
}

const prompt = (run: Run, { judged, scarce }: Terms): Found => {
  const seconds = recovery(run, judged)
  const stale = scarce.reduce((sum, name) => sum + grew(run, name, (sample) => sample.stale, run.spans.after), 0)
  const within = (run.spans.after[1] - run.spans.after[0]) / 1_000
  return {
    holds: seconds !== null && seconds <= 2 && stale === 0,
    figure: `${seconds === null ? `not within ${within} s` : `after ${seconds} s`}, ${stale} stale begun after the fall`,
    values: { seconds: seconds ?? Number.POSITIVE_INFINITY, stale },
  }
}

const isolated = (run: Run, { bystanders = [] }: Terms): Found => {
  const arrived = run.spans.hold
  const share =
    count(run, { kinds: bystanders, arrived, outcomes: ['ok'] }) /
    Math.max(1, count(run, { kinds: bystanders, arrived }))
  return { holds: share >= 0.99, figure: `${percent(share)} of ${bystanders.join(', ')} went well`, values: { share } }
}

const OSCILLATION = 0.1
const steady = (run: Run, { gate }: Terms): Found => {
  if (run.side === 'without') return notHere('there is no limit')
  const { swing, seconds } = oscillation(run, gate)
  return {
    holds: swing <= OSCILLATION,
    figure: `(max - min) / mean of the limit ${percent(swing)} over ${seconds} s`,
    values: { oscillation: swing },
  }
}

/** Of a gate's limit, by samples a second apart while the load is held. */
const oscillation = (run: Run, { service, name }: Terms['gate']): { swing: number; seconds: number } => {
  const limits = samplesOf(run, service, run.spans.hold)
    .filter((_, i) => i % 4 === 0)
    .flatMap(({ gates }) => gates.filter((gate) => gate.name === name).map(({ limit }) => limit))
  const mean = limits.reduce((sum, limit) => sum + limit, 0) / limits.length
  return { swing: (Math.max(...limits) - Math.min(...limits)) / mean, seconds: limits.length }
}

/** The generator's own counts may differ from the gate's by what was under way when the run ended. */
const AGREE = 0.005
const complete = (run: Run, { gate: { service, name }, judged: kinds }: Terms): Found => {
  if (run.side === 'without') return notHere('nobody keeps books')
  const sum = (...keys: string[]) => keys.reduce((total, key) => total + booked(run, service, `${name} ${key}`), 0)
  const offered = sum('offered')
  const accepted = sum('accepted')
  const ends = accepted + sum('shed', 'expired', 'cancelled_waiting', 'deferred', 'waiting') === offered
  const outcomes = sum('completed', 'late', 'failed', 'cancelled', 'abandoned', 'running') === accepted
  const sent = count(run, { kinds })
  const well = count(run, { kinds, outcomes: ['ok'] })
  const [off, offWell] = [Math.abs(offered / sent - 1), Math.abs(sum('completed', 'late') / well - 1)]
  return {
    holds: ends && outcomes && off <= AGREE && offWell <= AGREE,
    figure: `${offered} offered = ${accepted} accepted + ${sum('shed')} shed + ${sum('expired')} expired + ${sum('cancelled_waiting')} left; the callers counted ${sent} and ${well} good`,
    values: { books: ends && outcomes ? 1 : 0, off, off_good: offWell },
  }
}

/** The ten of the contract's proof, in its order. */
const CHECKS: readonly Check[] = [
  { id: 'bounded', invariant: 'Queue and memory stay bounded', look: bounded },
  { id: 'in-time', invariant: 'Accepted work ends within its deadline', look: inTime },
  { id: 'cheap-refusals', invariant: 'A refusal is fast, typed and much cheaper than the work', look: cheapRefusals },
  { id: 'retry-budget', invariant: 'Retries stay inside their budget', look: budgeted },
  { id: 'reserves', invariant: 'High classes keep their reserve, others do not starve', look: reserved },
  { id: 'nothing-expired', invariant: 'Expired work never reaches the scarce dependency', look: nothingStale },
  { id: 'recovery', invariant: 'After the peak it recovers promptly, without a stale backlog', look: prompt },
  { id: 'isolation', invariant: 'An overloaded dependency does not eat other pools', look: isolated },
  { id: 'steady-limit', invariant: 'The controller does not oscillate', look: steady },
  { id: 'books', invariant: 'The figures add up', look: complete },
]

/** All ten, in order; one that does not apply says why. */
export const judge = (run: Run, terms: Terms): (Pick<Check, 'id' | 'invariant'> & Found)[] =>
  CHECKS.map(({ id, invariant, look }) => {
    const why = terms.notAsked[id]
    return { id, invariant, ...(why === undefined ? look(run, terms) : notHere(why)) }
  })
