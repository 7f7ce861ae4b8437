import { createHash } from 'node:crypto'
import { setInterval } from 'node:timers/promises'
import type pg from 'pg'
import { metricsJson, type SampleWindow } from './otlp-sample.ts'
import type { RunningProcess } from './process.ts'

/** The agent key of the fleet, for `orders` in `prod`. */
const KEY = `weir_${'k'.repeat(43)}`

/** Makes `prod`, `orders` and the key of the fleet. */
export const seedOrders = (client: pg.Client) =>
  client.query(
    `WITH e AS (INSERT INTO environment (name) VALUES ('prod') RETURNING id),
       s AS (INSERT INTO service (environment_id, name) SELECT id, 'orders' FROM e)
     INSERT INTO agent_key (environment_id, kind, name, services, prefix, hash, created_by) SELECT id, 'agent', 't', '{orders}', 'weir_', $1, 't' FROM e`,
    [createHash('sha256').update(KEY).digest('hex')],
  )

/** The replica that holds the row of whoever judges, by the process that it names. */
export const judgeOf = async (client: pg.Client, planes: readonly RunningProcess[]): Promise<RunningProcess> => {
  const { rows } = await client.query<{ holder: string }>('SELECT holder FROM alert_leader')
  const found = planes.find(({ pid }) => rows[0]?.holder.endsWith(`-${pid}`))
  if (found === undefined) throw new Error(`nobody judges: ${rows[0]?.holder}`)
  return found
}

/** Per second of one gate with a limit of its own: what is offered, done and refused. */
export const KNOWN_PEAK = { offered: 450, completed: 150, shed: 300, highShed: 0 }
export const COLLAPSE = { offered: 450, completed: 10, shed: 250, highShed: 40 }

const windowAt = (
  second: number,
  sequence: number,
  { offered, completed, shed, highShed }: typeof KNOWN_PEAK,
): SampleWindow => {
  const of = (name: string) => ({ 'weir.gate': 'checkout', 'weir.class': name })
  const reason = { 'weir.reason': 'limit-reached' }
  return {
    resource: { 'service.instance.id': 'i', 'weir.boot': 'b', 'weir.sequence': sequence },
    startMs: second * 1_000,
    endMs: (second + 1) * 1_000,
    counters: [
      ['weir.gate.offered', offered * 0.2, of('critical')],
      ['weir.gate.offered', offered * 0.8, of('sheddable')],
      ['weir.gate.completed', completed, of('sheddable')],
      ['weir.gate.shed', shed, { ...of('sheddable'), ...reason }],
      ['weir.gate.shed', highShed, { ...of('critical'), ...reason }],
    ],
    gauges: [['weir.gate.limit', 20, { 'weir.gate': 'checkout' }]],
  }
}

/** Ten times a second: the load's own pace. */
const PACE_MS = 100

/** Sends each second's figures when it is over, to whichever control plane lives, at its pace until one has taken it. */
export class CollapsingFleet {
  figures = KNOWN_PEAK
  urls: string[] = []
  #second: number
  #sequence = 0
  #ended = false
  readonly #run: Promise<void>

  /** `beforeSeconds`: so long ago it began. */
  constructor(urls: string[], beforeSeconds = 0) {
    this.urls = urls
    this.#second = Math.floor(Date.now() / 1_000) - beforeSeconds
    this.#run = this.#send()
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#run
  }

  async #send(): Promise<void> {
    for await (const _ of setInterval(PACE_MS)) {
      if (this.#ended) return
      const behind = Math.floor(Date.now() / 1_000) - this.#second
      if (behind <= 0) continue
      const windows = Array.from({ length: Math.min(behind, 60) }, (_, i) =>
        windowAt(this.#second + i, this.#sequence + i, this.figures),
      )
      if (!(await this.#post(metricsJson(...windows)))) continue
      this.#second += windows.length
      this.#sequence += windows.length
    }
  }

  async #post(body: object): Promise<boolean> {
    for (const url of this.urls) {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/v1/metrics`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
        () => null,
      )
      if (answer?.ok) return true
    }
    return false
  }
}
