import type { Fate, Finding, GatePrediction, Prediction } from '@weir/api'

/** A change of a share is said from this on. */
const NOTABLE = 0.005
/** So much more refused is too much to pass without a warning: of everything, of one class, of one of the two high classes. */
const TOO_MUCH = { all: 0.05, class: 0.2, high: 0.02 } as const
/** A tenant that loses this much more is named, at most so many of them. */
const TENANT_LOSES = 0.1
const MOST_TENANTS = 3
/** Shares of a handful of work say nothing. */
const LEAST_OFFERED = 20
/** A change of p99 is said from this ratio and this many milliseconds on. */
const LATENCY = { ratio: 1.25, ms: 5 } as const

const HIGH: ReadonlySet<string> = new Set(['critical-plus', 'critical'])

/** The share of the offered work that was shed or had expired, 0..1; 0 of nothing. */
export const refusedShare = ({ offered, shed, expired }: Fate): number => (offered > 0 ? (shed + expired) / offered : 0)

/** What the draft would do where the live policy does something else, gate by gate, the gravest first. */
export const compare = (live: Prediction, draft: Prediction): Finding[] =>
  Object.entries(draft.gates)
    .filter(([, gate]) => gate.offered > 0)
    .flatMap(([name, after]) => {
      const before = live.gates[name]
      return before ? ofGate(name, before, after) : []
    })
    .sort((a, b) => GRAVITY[a.tone] - GRAVITY[b.tone])

const GRAVITY = { warning: 0, worse: 1, better: 2, same: 3 } as const

const ofGate = (gate: string, before: GatePrediction, after: GatePrediction): Finding[] => {
  const findings = [
    ...refusals(gate, 'all work', before, after, TOO_MUCH.all),
    ...ofClasses(gate, before, after),
    ...ofTenants(gate, before, after),
    ...ofLatency(gate, before, after),
  ]
  if (findings.length > 0) return findings
  const share = percent(refusedShare(after))
  const p99 = after.latencyMs === null ? '' : `, p99 ${duration(after.latencyMs.p99)}`
  return [{ gate, tone: 'same', sentence: `${gate}: no noticeable difference (${share} refused${p99}).` }]
}

const refusals = (gate: string, what: string, before: Fate, after: Fate, tooMuch: number): Finding[] => {
  const [was, will] = [refusedShare(before), refusedShare(after)]
  if (Math.abs(will - was) < NOTABLE || after.offered < LEAST_OFFERED) return []
  const tone = will - was >= tooMuch ? 'warning' : will > was ? 'worse' : 'better'
  const live = was === 0 ? 'sheds none' : `sheds ${percent(was)}`
  const draft = will === 0 ? 'none' : percent(will)
  return [{ gate, tone, sentence: `${gate} would shed ${draft} of ${what}, where the live policy ${live}.` }]
}

/** Where there is one class only, the gate's own sentence has said it. */
const ofClasses = (gate: string, before: GatePrediction, after: GatePrediction): Finding[] => {
  const classes = Object.entries(after.classes)
  if (classes.length < 2) return []
  return classes.flatMap(([name, fate]) => {
    const was = before.classes[name]
    return was ? refusals(gate, name, was, fate, HIGH.has(name) ? TOO_MUCH.high : TOO_MUCH.class) : []
  })
}

const ofTenants = (gate: string, before: GatePrediction, after: GatePrediction): Finding[] =>
  Object.entries(after.tenants)
    .map(([tenant, fate]) => ({ tenant, fate, was: before.tenants[tenant] }))
    .filter(({ tenant, fate, was }) => tenant !== 'none' && was !== undefined && fate.offered >= LEAST_OFFERED)
    .map((one) => ({ ...one, loses: refusedShare(one.fate) - refusedShare(one.was ?? one.fate) }))
    .filter(({ loses }) => loses >= TENANT_LOSES + Math.max(0, refusedShare(after) - refusedShare(before)))
    .sort((a, b) => b.loses - a.loses)
    .slice(0, MOST_TENANTS)
    .map(({ tenant, fate, was }) => ({
      gate,
      tone: 'worse' as const,
      sentence: `${gate}: tenant ${tenant} would lose ${percent(refusedShare(fate))} of its work instead of ${percent(refusedShare(was ?? fate))}.`,
    }))

const ofLatency = (gate: string, before: GatePrediction, after: GatePrediction): Finding[] => {
  const [was, will] = [before.latencyMs?.p99, after.latencyMs?.p99]
  if (was === undefined || will === undefined || Math.abs(will - was) < LATENCY.ms) return []
  if (Math.max(will, was) < Math.min(will, was) * LATENCY.ratio) return []
  const sentence = `${gate}: 99 of 100 accepted would be done within ${duration(will)} instead of ${duration(was)}.`
  return [{ gate, tone: will > was ? 'worse' : 'better', sentence }]
}

/** `31 %`, `0.4 %`; what is not quite nothing or everything is never rounded to it. */
export const percent = (share: number): string => {
  const value = share * 100
  const fine = (value > 0 && value < 10) || (value > 99 && value < 100)
  return `${fine ? Math.min(99.9, Math.max(0.1, Math.round(value * 10) / 10)) : Math.round(value)} %`
}

/** `12 ms`, `1.4 s`. */
export const duration = (ms: number): string =>
  ms < 10 ? `${Math.round(ms * 10) / 10} ms` : ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`
