import { z } from 'zod'
import { HISTOGRAMS, PEAKS, SUMS } from '../../features/outcomes/columns.ts'
import { BUCKETS } from '../../features/outcomes/histogram.ts'
import { CUTS, type Row, type Rows } from '../../features/outcomes/roll-up.ts'
import { parsed } from './parsed.ts'
import type { RedisLink } from './redis-link.ts'

const WATCHING = 'watching'
/** Who said that somebody watches there is believed for so long, milliseconds; it says so again every second. */
const BELIEVED_MS = 3_000
/** Rows of one message. */
const MOST_ROWS = 200

const watching = z.object({ from: z.string(), environments: z.array(z.string()) })
const counts = z.array(z.number()).length(BUCKETS)
const rowSchema = z.object({
  second: z.number(),
  environment: z.string(),
  service: z.string(),
  kind: z.enum(['gate', 'dependency']),
  name: z.string(),
  cut: z.enum(CUTS),
  label: z.string(),
  edge: z.boolean(),
  sums: z.array(z.number()).length(SUMS.length),
  peaks: z.array(z.number().nullable()).length(PEAKS.length),
  histograms: z.partialRecord(z.enum(HISTOGRAMS), counts),
})
const written = z.object({ from: z.string(), rows: z.array(z.tuple([z.string(), rowSchema])) })

export interface RedisFeedParts {
  readonly link: RedisLink
  readonly replica: string
  /** Environments that somebody watches here. */
  watched(): Iterable<string>
  /** What another replica made durable. */
  heard(rows: Rows): void
  monotonicMs(): number
}

/** What one replica takes in is shown by all: it goes to those where somebody watches the environment, and to nobody else. */
export class RedisFeed {
  readonly #parts: RedisFeedParts
  /** Until when an environment is watched elsewhere. */
  readonly #elsewhere = new Map<string, number>()
  readonly #endings: (() => void)[] = []

  constructor(parts: RedisFeedParts) {
    this.#parts = parts
    const { link, replica, monotonicMs } = parts
    this.#endings.push(
      link.listen(WATCHING, (text) => {
        const said = watching.safeParse(parsed(text))
        if (!said.success || said.data.from === replica) return
        for (const environment of said.data.environments) this.#elsewhere.set(environment, monotonicMs() + BELIEVED_MS)
      }),
      link.listen('rows', (text) => {
        const said = written.safeParse(parsed(text))
        if (said.success && said.data.from !== replica)
          parts.heard(new Map(said.data.rows.map(([key, row]) => [key, rowOf(row)])))
      }),
    )
  }

  /** Once a second. */
  beat(): void {
    const { link, replica, watched, monotonicMs } = this.#parts
    const environments = [...watched()]
    if (environments.length > 0) link.publish(WATCHING, JSON.stringify({ from: replica, environments }))
    for (const [environment, untilMs] of this.#elsewhere)
      if (untilMs < monotonicMs()) this.#elsewhere.delete(environment)
  }

  /** What was made durable here. */
  share(rows: Rows): void {
    if (this.#elsewhere.size === 0) return
    const shown = [...rows].filter(([, { environment, cut }]) => this.#elsewhere.has(environment) && cut !== 'instance')
    const { link, replica } = this.#parts
    for (let i = 0; i < shown.length; i += MOST_ROWS)
      link.publish('rows', JSON.stringify({ from: replica, rows: shown.slice(i, i + MOST_ROWS) }))
  }

  close(): void {
    for (const end of this.#endings.splice(0)) end()
  }
}

/** JSON has no NaN: a peak that was not heard is `null` on the way. */
const rowOf = ({ peaks, histograms, ...row }: z.infer<typeof rowSchema>): Row => ({
  ...row,
  peaks: peaks.map((peak) => peak ?? Number.NaN),
  histograms: Object.fromEntries(Object.entries(histograms).filter(([, list]) => list !== undefined)),
})
