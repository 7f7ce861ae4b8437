import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../rounds.ts'
import { Instance } from './corpus.ts'
import { type Plane, type Sent, Template } from './plane.ts'

const INSTANCES = 40
const POLITE = 20
const RUDE_AT_ONCE = 64
/** In which buffers, compiled code and the young generation grow to what they need: a fifth of the time, at most so long. */
const WARM_UP_S = 120
/** Resident memory is the median of so many seconds. */
const AFTER_S = 30
const SETTLE_MS = 3_000

/** Exports of real gates, to be sent as those of so many instances. */
const templates = async (service: string, count: number): Promise<Template[]> => {
  const made = await Promise.all(
    Array.from({ length: 4 }, async (_, i) => {
      const instance = new Instance(i + 1)
      await instance.live()
      return instance.metricsJson(Date.now())
    }),
  )
  return Array.from({ length: count }, (_, i) => {
    const { text, items, offered } = made[i % made.length] as (typeof made)[number]
    return new Template(text, items, offered, service, `i${i}`)
  })
}

/** One instance, as an agent does: a window each second, and again until it is taken, no sooner than it was told. */
const polite = async (
  plane: Plane,
  key: string,
  template: Template,
  untilMs: number,
  answers: Sent[],
): Promise<{ windows: number; waited: number }> => {
  let windows = 0
  let waited = 0
  await sleep(Math.random() * 1_000)
  while (performance.now() < untilMs) {
    const dueMs = performance.now() + 1_000
    const text = template.next(Date.now())
    for (;;) {
      const sent = await plane.send(key, text)
      answers.push(sent)
      if (sent.status === 200) break
      waited++
      await sleep(Math.max(200, sent.retryAfter * 1_000))
    }
    windows++
    await sleep(Math.max(0, dueMs - performance.now()))
  }
  return { windows, waited }
}

/** Resident memory, MB, at each second. */
const watchMemory = (plane: Plane) => {
  const seen: number[] = []
  let over = false
  const done = (async () => {
    while (!over) {
      seen.push(await plane.residentMb())
      await sleep(1_000)
    }
  })()
  return async () => {
    over = true
    await done
    return seen
  }
}

/** Forty instances that export each second, for so long: what it costs, whether memory stays flat, whether every unit is counted. */
export const sustained = async (plane: Plane, minutes: number): Promise<Record<string, number>> => {
  const service = 'sustained'
  const key = await plane.key(service)
  const senders = await templates(service, INSTANCES)
  const untilMs = performance.now() + minutes * 60_000
  const memory = watchMemory(plane)
  const warmUpS = Math.min(WARM_UP_S, minutes * 12)
  const cpu = await plane.cpuSeconds()
  const answers: Sent[] = []
  // A collection gives memory back to the system: resident memory is compared between the half minutes after one.
  const endS = Math.max(warmUpS, minutes * 60 - AFTER_S)
  const looksS = [warmUpS, (warmUpS + endS) / 2, endS] as const
  const heapAt = (second: number) => sleep(second * 1_000).then(() => plane.heapMb())
  const [sent, ...heaps] = await Promise.all([
    Promise.all(senders.map((template) => polite(plane, key, template, untilMs, answers))),
    heapAt(looksS[0]),
    heapAt(looksS[1]),
    heapAt(looksS[2]),
  ])
  const seconds = (await plane.cpuSeconds()) - cpu
  const resident = await memory()
  const residentAt = (second: number) => median(resident.slice(Math.ceil(second), second + AFTER_S))
  await sleep(SETTLE_MS)
  const counts = sent.map(({ windows }, i) => ({
    points: windows * (senders[i]?.points ?? 0),
    offered: windows * (senders[i]?.offered ?? 0),
  }))
  const points = counts.reduce((sum, count) => sum + count.points, 0)
  const offered = counts.reduce((sum, count) => sum + count.offered, 0)
  return {
    sustained_minutes: minutes,
    sustained_points_per_s: points / (minutes * 60),
    sustained_cpu_us_per_point: (seconds / points) * 1e6,
    sustained_refused: sent.reduce((sum, { waited }) => sum + waited, 0),
    sustained_counted: (await plane.offered(service)) / offered,
    sustained_p99_ms: share(
      answers.map(({ ms }) => ms),
      0.99,
    ),
    heap_mb_warm: heaps[0],
    heap_mb_middle: heaps[1],
    heap_mb_end: heaps[2],
    memory_mb_warm: residentAt(looksS[0]),
    memory_mb_middle: residentAt(looksS[1]),
    memory_mb_end: residentAt(looksS[2]),
    memory_mb_peak: Math.max(...resident),
  }
}

/** One key that sends as fast as it can and hears nothing, beside twenty instances that behave. */
export const neverStopping = async (plane: Plane, seconds: number): Promise<Record<string, number>> => {
  const [quiet, rude] = [await plane.key('polite'), await plane.key('rude')]
  const [senders, [template]] = [await templates('polite', POLITE), await templates('rude', 1)]
  if (template === undefined) throw new Error('There is no template.')
  const untilMs = performance.now() + seconds * 1_000
  const memory = watchMemory(plane)
  const statuses = new Map<number, number>()
  const hammer = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const { status } = await plane.send(rude, template.next(Date.now()))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const answers: Sent[] = []
  const [sent] = await Promise.all([
    Promise.all(senders.map((one) => polite(plane, quiet, one, untilMs, answers))),
    Promise.all(Array.from({ length: RUDE_AT_ONCE }, hammer)),
  ])
  const seen = await memory()
  await sleep(SETTLE_MS)
  const offered = sent.reduce((sum, { windows }, i) => sum + windows * (senders[i]?.offered ?? 0), 0)
  const of = (...wanted: number[]) => wanted.reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0)
  const asked = [...statuses.values()].reduce((sum, n) => sum + n, 0)
  return {
    storm_requests_per_s: asked / seconds,
    storm_taken_per_s: of(200) / seconds,
    storm_429: of(429) / asked,
    storm_503: of(503) / asked,
    storm_other: (asked - of(200, 429, 503)) / asked,
    storm_counted: (await plane.offered('rude')) / (of(200) * template.offered),
    storm_memory_mb_peak: Math.max(...seen),
    polite_counted: (await plane.offered('polite')) / offered,
    polite_refused: sent.reduce((sum, { waited }) => sum + waited, 0),
    polite_p50_ms: share(
      answers.map(({ ms }) => ms),
      0.5,
    ),
    polite_p99_ms: share(
      answers.map(({ ms }) => ms),
      0.99,
    ),
  }
}

const share = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN
