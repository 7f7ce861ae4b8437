import { type RecordedArrival, type Traffic, trafficSchema } from '@weir/api'
import type { Problem } from '@weir/policy/model'
import { problemsOf } from '@weir/policy/schema'

export type ReadTraffic =
  | { readonly ok: true; readonly traffic: Traffic }
  | { readonly ok: false; readonly problems: readonly Problem[] }

const MOST_PROBLEMS = 20

/**
 * Reads a traffic document: JSON, or lines of JSON of which the first is the document without arrivals and every other one an arrival, with the `gate`
 * that it came to where there are several. Says all problems with their paths, those of a line by its number. Never throws.
 */
export const readTraffic = (text: string): ReadTraffic => {
  const lines = text.split(/\r?\n/)
  const head = parsed(lines[0] ?? '')
  const long = head.ok && lines.slice(1).some((line) => line.trim() !== '')
  if (long) return readLines(head.value, lines)
  const whole = parsed(text)
  return whole.ok ? check(whole.value, []) : failed('', `This is not JSON: ${whole.why}.`)
}

/** Checks a document that is already a value. */
export const checkTraffic = (document: unknown): ReadTraffic => check(document, [])

const readLines = (head: unknown, lines: readonly string[]): ReadTraffic => {
  const gates = isRecord(head) && isRecord(head.gates) ? head.gates : {}
  const names = Object.keys(gates)
  const arrivals = new Map<string, { rows: unknown[]; lines: number[] }>()
  const problems: Problem[] = []
  for (const [i, line] of lines.entries()) {
    if (i === 0 || line.trim() === '' || problems.length >= MOST_PROBLEMS) continue
    const read = parsed(line)
    if (!read.ok || !isRecord(read.value)) {
      problems.push({
        path: `line ${i + 1}`,
        message: read.ok ? 'It must be an arrival.' : `This is not JSON: ${read.why}.`,
      })
      continue
    }
    const { gate = names.length === 1 ? names[0] : undefined, ...row } = read.value
    if (typeof gate !== 'string' || !Object.hasOwn(gates, gate)) {
      problems.push({
        path: `line ${i + 1}: gate`,
        message: `It must be one of the first line's gates: ${names.join(', ')}.`,
      })
      continue
    }
    const of = arrivals.get(gate) ?? { rows: [], lines: [] }
    arrivals.set(gate, of)
    of.rows.push(row)
    of.lines.push(i + 1)
  }
  if (problems.length > 0) return { ok: false, problems }
  const filled = Object.fromEntries(
    Object.entries(gates).map(([name, gate]) => [
      name,
      isRecord(gate) ? { ...gate, arrivals: arrivals.get(name)?.rows ?? [] } : gate,
    ]),
  )
  const lineOf = (gate: string, index: number) => arrivals.get(gate)?.lines[index]
  return check({ ...(isRecord(head) ? head : {}), gates: filled }, [lineOf])
}

type LineOf = (gate: string, index: number) => number | undefined

const check = (document: unknown, [lineOf]: readonly LineOf[]): ReadTraffic => {
  const result = trafficSchema.safeParse(document)
  if (result.success) return { ok: true, traffic: ordered(result.data) }
  const problems = problemsOf(result.error, document, () => [])
  return { ok: false, problems: lineOf ? problems.map((problem) => placed(problem, lineOf)) : problems }
}

/** `gates.checkout.arrivals.7.atMs` is where the reader's line is. */
const placed = (problem: Problem, lineOf: LineOf): Problem => {
  const [, gate = '', index, rest] = /^gates\.(.+)\.arrivals\.(\d+)(?:\.(.+))?$/.exec(problem.path) ?? []
  const line = index === undefined ? undefined : lineOf(gate.replace(/^"(.*)"$/, '$1'), Number(index))
  return line === undefined ? problem : { ...problem, path: rest ? `line ${line}: ${rest}` : `line ${line}` }
}

/** A recording is written when work ends, so its lines may stand in another order than it arrived. */
const ordered = (traffic: Traffic): Traffic => {
  const sorted = (arrivals: readonly RecordedArrival[]) => arrivals.toSorted((a, b) => a.atMs - b.atMs)
  const gates = Object.entries(traffic.gates).map(([name, gate]) => [
    name,
    gate.arrivals ? { ...gate, arrivals: sorted(gate.arrivals) } : gate,
  ])
  return { ...traffic, gates: Object.fromEntries(gates) }
}

const parsed = (text: string): { ok: true; value: unknown } | { ok: false; why: string } => {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message.slice(0, 120) : 'unreadable' }
  }
}

const failed = (path: string, message: string): ReadTraffic => ({ ok: false, problems: [{ path, message }] })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
