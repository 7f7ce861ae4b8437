import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { median } from '../rounds.ts'
import type { Second, Told } from './message.ts'

/** Callers give up after this long; only what was answered well within it counts. */
export const PATIENCE_S = 1

export interface Load {
  readonly connections: number
  readonly seconds: number
  /** Requests a second over all connections; absent = as fast as answers come. */
  readonly rate?: number
}

/** One run: rates per second, times in milliseconds, memory in MB. */
export interface Measured {
  readonly goodput: number
  readonly refused: number
  readonly gaveUp: number
  readonly p99Ms: number
  readonly refusalP99Ms: number
  readonly loopP99Ms: number
  readonly loopMaxMs: number
  readonly rssMb: number
  readonly wasted: number
}

const percentile = (values: number[], share: number): number =>
  values.length === 0
    ? Number.NaN
    : (values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number)

const server = async (kind: 'bare' | 'weir') => {
  const child = fork(new URL('server.ts', import.meta.url), [kind], { execArgv: [] })
  const seconds: Second[] = []
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The ${kind} server ended with ${code}.`)))
    child.on('message', (told: Told) => (told.type === 'listening' ? resolve(told.url) : seconds.push(told)))
  })
  const stop = async (): Promise<void> => {
    child.removeAllListeners('exit')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { url, seconds, stop }
}

const BODY = JSON.stringify({ items: Array.from({ length: 100 }, (_, i) => ({ sku: `item-${i}`, count: i })) })

/** autocannon sends what it may in a second at the second's start: that many of them, one after the other, make an even load of it. */
const CANNONS = 20

type Heard = (status: number, ms: number) => void

const fire = (options: autocannon.Options, heard: Heard): Promise<autocannon.Result> => {
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
  const cannon = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
  cannon.on('response', (_client, status, _bytes, ms) => heard(status, ms))
  return promise
}

/** Starts the server, loads it with autocannon, and ends it. */
export const run = async (kind: 'bare' | 'weir', { connections, seconds, rate }: Load): Promise<Measured> => {
  const { url, seconds: told, stop } = await server(kind)
  const [good, refusals]: [number[], number[]] = [[], []]
  const heard: Heard = (status, ms) => {
    if (status === 200 && ms <= PATIENCE_S * 1_000) good.push(ms)
    if (status === 429 || status === 503) refusals.push(ms)
  }
  const cannons = rate === undefined ? 1 : CANNONS
  const options: autocannon.Options = {
    url: `${url}/orders`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
    connections: connections / cannons,
    duration: seconds,
    timeout: PATIENCE_S,
    ...(rate === undefined ? {} : { overallRate: Math.round(rate / cannons) }),
  }
  const results: Promise<autocannon.Result>[] = []
  for (let i = 0; i < cannons; i++) {
    results.push(fire(options, heard))
    if (cannons > 1) await sleep(1_000 / cannons)
  }
  const timeouts = (await Promise.all(results)).reduce((sum, result) => sum + result.timeouts, 0)
  await stop()
  const all = (figure: 'loopMaxMs' | 'loopP99Ms' | 'rssMb') => told.map((second) => second[figure])
  return {
    goodput: good.length / seconds,
    refused: refusals.length / seconds,
    gaveUp: timeouts / seconds,
    p99Ms: percentile(good, 0.99),
    refusalP99Ms: percentile(refusals, 0.99),
    loopP99Ms: told.length === 0 ? Number.NaN : median(all('loopP99Ms')),
    loopMaxMs: Math.max(...all('loopMaxMs')),
    rssMb: Math.max(...all('rssMb')),
    wasted: told.reduce((sum, second) => sum + second.wasted, 0) / seconds,
  }
}
