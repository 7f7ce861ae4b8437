import { weirFetch } from '@weir/agent/undici'
import { dependency, pause, percentile, replica } from './world.ts'

const CALLS = 1_500
const FAST_MS = 4
const SLOW_MS = 200

/** Share of calls that took longer than half of what the slow one of four replicas takes, and p99: replicas in turn, and chosen by the agent. */
export const slowReplica = async () => {
  const replicas = await Promise.all([FAST_MS, FAST_MS, FAST_MS, SLOW_MS].map(replica))
  const origins = replicas.map(({ origin }) => origin)
  const drive = async (call: (i: number) => Promise<Response>) => {
    const durations: Promise<number>[] = []
    for (let i = 0; i < CALLS; i++) {
      const from = performance.now()
      durations.push(
        call(i)
          .then((response) => response.text())
          .then(() => performance.now() - from),
      )
      await pause(2)
    }
    const all = await Promise.all(durations)
    return { share: all.filter((ms) => ms > SLOW_MS / 2).length / all.length, p99: percentile(all, 0.99) }
  }
  const plain = dependency('plain', { outlier: null })
  const inTurn = weirFetch({ dependency: () => plain }, 'plain')
  const without = await drive((i) => inTurn(origins[i % origins.length] as string))
  const avoiding = dependency('avoiding')
  const chosen = weirFetch({ dependency: () => avoiding }, 'avoiding', { endpoints: () => origins })
  const withAvoidance = await drive(() => chosen('http://payments.invalid/'))
  for (const one of [plain, avoiding]) one.close()
  for (const one of replicas) one.stop()
  return { without, with: withAvoidance }
}
