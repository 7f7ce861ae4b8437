import { weirFetch } from '@weir/agent/undici'
import { median } from '../rounds.ts'
import { dependency, pause, percentile, replica } from './world.ts'

const CALLS = 400
const ROUNDS = 7

/** Durations of so many calls, one every two milliseconds as an open system sends them. */
const drive = async (call: () => Promise<Response>): Promise<number[]> => {
  const durations: Promise<number>[] = []
  for (let i = 0; i < CALLS; i++) {
    const from = performance.now()
    durations.push(
      call()
        .then((response) => response.text())
        .then(() => performance.now() - from),
    )
    await pause(2)
  }
  return Promise.all(durations)
}

/** p99 of calls to a healthy dependency while as many go to one that hangs, over p99 of the healthy one alone: median of rounds in turn. */
export const isolation = async () => {
  const healthy = await replica(5)
  const hanging = await replica(null)
  const good = dependency('good')
  const bad = dependency('bad', { ceiling: 20, timeoutMs: 60_000 })
  const ask = weirFetch({ dependency: () => good }, 'good')
  const hang = weirFetch({ dependency: () => bad }, 'bad')
  const both = (): Promise<Response> => {
    hang(hanging.origin).catch(() => undefined)
    return ask(healthy.origin)
  }
  await drive(() => ask(healthy.origin))
  const ratios: number[] = []
  let alone = 0
  let beside = 0
  for (let round = 0; round < ROUNDS; round++) {
    alone = percentile(await drive(() => ask(healthy.origin)), 0.99)
    beside = percentile(await drive(both), 0.99)
    ratios.push(beside / alone)
  }
  const held = bad.report().inFlight
  bad.close()
  good.close()
  healthy.stop()
  hanging.stop()
  return { ratio: median(ratios), aloneMs: alone, besideMs: beside, held }
}
