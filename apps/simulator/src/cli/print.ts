import type { Fate, GatePrediction, Prediction } from '@weir/api'
import { duration, percent } from '../forecast/words.ts'

const TONES = { warning: '!', worse: '-', better: '+', same: '=' } as const

const share = (part: number, { offered }: Fate): string => (offered > 0 ? percent(part / offered) : '-')

const row = (name: string, fate: Fate): string[] => [
  name,
  String(fate.offered),
  share(fate.accepted, fate),
  share(fate.shed, fate),
  share(fate.expired, fate),
  share(fate.completed, fate),
  share(fate.late + fate.failed, fate),
]

const HEAD = ['', 'offered', 'accepted', 'shed', 'expired', 'completed', 'late, failed']

const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length)))
  return rows.map((cells) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  )
}

const gateRows = (name: string, gate: GatePrediction): string[][] => {
  const classes = Object.entries(gate.classes)
  const tenants = Object.entries(gate.tenants).filter(([tenant]) => tenant !== 'none')
  return [
    row(name, gate),
    ...(classes.length > 1 ? classes.map(([klass, fate]) => row(`  ${klass}`, fate)) : []),
    ...tenants.map(([tenant, fate]) => row(`  tenant ${tenant}`, fate)),
  ]
}

const latencyLine = (name: string, { latencyMs, waitMs, reasons }: GatePrediction): string => {
  const why = Object.entries(reasons).sort(([, a], [, b]) => b - a)
  const refused = why.length === 0 ? '' : `; refused: ${why.map(([reason, n]) => `${reason} ${n}`).join(', ')}`
  if (latencyMs === null || waitMs === null) return `${name}: nothing was accepted${refused}`
  const { p50, p99 } = latencyMs
  return `${name}: accepted work ends within ${duration(p50)} (median), ${duration(p99)} (p99), of that waiting ${duration(waitMs.p50)}, ${duration(waitMs.p99)}${refused}`
}

/** A prediction as people read it. */
export const report = (
  prediction: Prediction,
  findings: readonly { tone: keyof typeof TONES; sentence: string }[],
  caveats: readonly string[],
): string => {
  const gates = Object.entries(prediction.gates)
  const { simulated, of } = prediction.instances
  return [
    `${prediction.arrivals} arrivals in ${Math.round(prediction.seconds)} s, ${simulated} of ${of} processes played.`,
    '',
    ...table([HEAD, ...gates.flatMap(([name, gate]) => gateRows(name, gate))]),
    '',
    ...gates.map(([name, gate]) => latencyLine(name, gate)),
    ...(findings.length > 0 ? ['', ...findings.map(({ tone, sentence }) => `${TONES[tone]} ${sentence}`)] : []),
    ...(caveats.length > 0 ? ['', ...caveats.map((caveat) => `Note: ${caveat}`)] : []),
  ].join('\n')
}
