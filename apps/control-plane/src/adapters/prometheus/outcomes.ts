import {
  type Figures,
  type OutcomeQuery,
  type OutcomeSlice,
  OutcomeStore,
  type SheddingSecond,
  STEPS,
} from '../../features/outcomes/outcome-store.ts'
import type { Rows } from '../../features/outcomes/roll-up.ts'
import { OTHER } from '../../features/outcomes/seats.ts'
import type { Window } from '../../features/outcomes/window.ts'
import { type Errand, type OutcomeOutbox } from '../prisma/outcome-outbox.ts'
import { endMs, startOf } from './buckets.ts'
import { type Gathered, gather, gatherAll, noFigures } from './figures.ts'
import { type Answer, EngineRefused, type MetricsEngine } from './metrics-engine.ts'
import * as promql from './promql.ts'
import { writeRequest } from './remote-write.ts'
import { Moments, samplesOf } from './samples.ts'

/** What an answer of the engine may hold, buckets times series: longer ranges are asked for in parts. */
const MAX_CELLS = 20_000
/** Whoever put it would have told the engine by now, or is gone. */
const LEFT_SECONDS = 30

/**
 * Roll-ups in a Prometheus-compatible engine. A cumulative series at the time of the events could take nothing late, so every contribution to a second
 * is a sample of its own inside that second, and whoever asks adds them up: a sum over a bucket and all replicas is exact, in whatever order they came.
 */
export class PrometheusOutcomeStore extends OutcomeStore {
  readonly #engine: MetricsEngine
  readonly #outbox: OutcomeOutbox
  readonly #moments: Moments
  readonly #lost: (error: unknown) => void
  /** Whether something of ours, or of this replica's life before, may still wait. */
  #unsure = true
  #settling: Promise<void> | null = null
  #maintainedS = 0

  /** `replica`: a name that no other process has or had. `lost` hears of figures that the engine refused after they were acknowledged. */
  constructor(engine: MetricsEngine, outbox: OutcomeOutbox, replica: string, lost: (error: unknown) => void) {
    super()
    this.#engine = engine
    this.#outbox = outbox
    this.#moments = new Moments(replica)
    this.#lost = lost
  }

  override async write(windows: readonly Window[], rollUp: (fresh: readonly Window[]) => Rows): Promise<Rows> {
    if (this.#unsure) await this.#settle(0)
    let rows: Rows = new Map()
    const errand = await this.#outbox.put(windows, (fresh) => {
      rows = rollUp(fresh)
      return rows.size === 0 ? null : writeRequest(samplesOf(rows.values(), this.#moments))
    })
    if (errand !== null) {
      await this.#tell(errand)
      // Told again it would change nothing: the same samples at the same moments.
      await this.#outbox.done(errand).catch(() => {
        this.#unsure = true
      })
    }
    return rows
  }

  override async query(asked: OutcomeQuery): Promise<OutcomeSlice> {
    const query = { ...asked, from: Math.max(asked.from, this.#keptFrom(asked)) }
    if (query.from >= query.to) return { rows: [], heard: [], total: noFigures() }
    const label = promql.labelOf(query)
    const kept = label === null ? null : await this.#heaviest(query, label)
    const isTotal = label === null && query.cut === 'total'
    const rows = new Map<string, Row>()
    const totals = new Map<string, Row>()
    const part = Math.max(1, Math.floor(MAX_CELLS / ((kept?.labels.length ?? 0) + 1))) * query.bucket
    for (let from = query.from; from < query.to; from += part) {
      const range = { ...query, from, to: Math.min(from + part, query.to) }
      await this.#figures(range, promql.matchersOf(query, 'total'), null, totals)
      if (!isTotal) await this.#rows(range, label, kept, rows)
    }
    const total = noFigures()
    for (const { figures } of totals.values()) gatherAll(total, figures)
    return {
      rows: [...(isTotal ? totals : rows).values()],
      heard: Array.from(totals.values(), ({ second }) => second),
      total,
    }
  }

  override async shedding(environments: readonly string[], from: number, to: number): Promise<SheddingSecond[]> {
    if (environments.length === 0 || from >= to) return []
    const answers = await this.#engine.range(promql.shedding(environments), endMs(from, 1), endMs(to - 1, 1), 1)
    const found = new Map<string, { -readonly [K in keyof SheddingSecond]: SheddingSecond[K] }>()
    for (const { metric, values } of answers)
      for (const [at, value] of values) {
        const { environment = '', service = '', figure } = metric
        const second = startOf(at, 1)
        const key = `${environment}\n${service}\n${second}`
        const known = found.get(key) ?? { environment, service, second, offered: 0, refused: 0 }
        if (figure === 'offered') known.offered += Number(value)
        if (figure === 'shed' || figure === 'expired') known.refused += Number(value)
        found.set(key, known)
      }
    return [...found.values()]
  }

  /** How long samples are kept is the engine's business; what is older than our own time for it is not answered, and windows are forgotten. */
  override async maintain(nowMs: number): Promise<void> {
    this.#maintainedS = Math.max(this.#maintainedS, nowMs / 1000)
    this.#moments.forget(nowMs)
    await this.#outbox.forgetOld(nowMs / 1000)
    await this.#settle(LEFT_SECONDS)
  }

  /** Tells what waits, the oldest first. */
  #settle(waitedSeconds: number): Promise<void> {
    this.#settling ??= this.#tellAll(waitedSeconds).finally(() => {
      this.#settling = null
    })
    return this.#settling
  }

  async #tellAll(waitedSeconds: number): Promise<void> {
    for (let left = await this.#outbox.oldest(waitedSeconds); left; left = await this.#outbox.oldest(waitedSeconds))
      try {
        await this.#tell(left)
        await this.#outbox.done(left)
      } catch (error) {
        if (!(error instanceof EngineRefused)) throw error
        this.#lost(error)
      }
    if (waitedSeconds === 0) this.#unsure = false
  }

  /** The engine has it when this resolves. What it refuses is taken back. */
  async #tell(errand: Errand): Promise<void> {
    try {
      await this.#engine.write(errand.body)
    } catch (error) {
      if (error instanceof EngineRefused) await this.#outbox.takeBack(errand)
      else this.#unsure = true
      throw error
    }
  }

  #keptFrom({ step, bucket }: OutcomeQuery): number {
    const keepSeconds = STEPS.find((each) => each.step === step)?.keepSeconds ?? 0
    return Math.floor((this.#maintainedS - keepSeconds) / bucket) * bucket
  }

  async #heaviest(query: OutcomeQuery, label: string): Promise<Kept> {
    const { from, to, maxSeries } = query
    const expression = promql.heaviest(promql.matchersOf(query, query.cut), label, to - from, maxSeries)
    const found = (await this.#engine.instant(expression, endMs(from, to - from)))
      .map(({ metric, values }) => ({ label: metric[label] ?? '', weight: Number(values[0]?.[1] ?? 0) }))
      .sort((a, b) => b.weight - a.weight || (a.label < b.label ? -1 : 1))
    const all = found.length <= maxSeries
    const labels = (all ? found : found.slice(0, maxSeries - 1)).map((each) => each.label)
    return { all, labels: all ? labels : labels.filter((each) => each !== OTHER) }
  }

  async #rows(range: OutcomeQuery, label: string | null, kept: Kept | null, into: Map<string, Row>): Promise<void> {
    const matchers = promql.matchersOf(range, range.cut)
    if (label === null || kept === null || kept.all) return this.#figures(range, matchers, label, into)
    const others = `${matchers},${promql.oneOf(label, kept.labels, true)}`
    await this.#figures(range, `${matchers},${promql.oneOf(label, kept.labels)}`, label, into)
    await this.#figures(range, others, null, into, OTHER)
  }

  async #figures(
    { from, to, bucket }: OutcomeQuery,
    matchers: string,
    label: string | null,
    into: Map<string, Row>,
    called = '',
  ): Promise<void> {
    const expression = promql.figuresBy(matchers, label === null ? [] : [label], bucket)
    const answers = await this.#engine.range(expression, endMs(from, bucket), endMs(to - bucket, bucket), bucket)
    for (const answer of answers) book(answer, label === null ? called : (answer.metric[label] ?? ''), bucket, into)
  }
}

interface Row {
  readonly second: number
  readonly label: string
  readonly figures: Gathered & Figures
}
interface Kept {
  /** Whether there are no others. */
  readonly all: boolean
  readonly labels: readonly string[]
}

const book = ({ metric, values }: Answer, label: string, bucket: number, into: Map<string, Row>): void => {
  for (const [at, value] of values) {
    const second = startOf(at, bucket)
    const key = `${second}\n${label}`
    const row = into.get(key) ?? { second, label, figures: noFigures() }
    gather(row.figures, metric.figure ?? '', metric.bucket, Number(value))
    into.set(key, row)
  }
}
