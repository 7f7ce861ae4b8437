import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlPlane } from '../../examples/fleet/src/demo/control-plane.ts'
import type { Rest } from '../../examples/fleet/src/demo/rest.ts'
import { ask, child, cpuSeconds, rssKb, share } from './children.ts'
import type { LeasesSeen } from './message.ts'

const RESOURCE = 'gate-0'
const TENANTS = ['all', 'few'] as const
/** What each agent could use of each, a second; the quotas are half of what all of them could. */
const LOAD = 20
/** Until everybody has joined, and the pool for newcomers is small again. */
const SETTLE_MS = 40_000
const MEASURED_MS = 20_000

export interface LeaseFigures {
  readonly questionsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of the control plane, which owns the book, as a share of one core: while all ask, and with the same sockets before. */
  readonly cpuShare: number
  readonly idleCpuShare: number
  readonly rssMb: number
  /** Most that all agents could use at any moment since the first answer, and what they can in the end, of each quota. */
  readonly most: Readonly<Record<(typeof TENANTS)[number], number>>
  readonly usable: Readonly<Record<(typeof TENANTS)[number], number>>
}

/** A fleet of real sockets that asks for one quota that all want, and for one that a hundredth of it wants. */
export const leased = async (
  plane: ControlPlane,
  rest: Rest,
  keys: readonly string[],
  count: number,
): Promise<LeaseFigures> => {
  const quotas = { all: (count * LOAD) / 2, few: (count * LOAD) / 200 }
  for (const tenant of TENANTS)
    await rest.call('PUT', `/environments/bench/services/orders/quotas/${RESOURCE}/${tenant}`, {
      headers: { 'if-none-match': '*' },
      body: { quota: { rate: quotas[tenant] }, reason: 'bench' },
    })
  const agents = child(new URL('askers.ts', import.meta.url))
  try {
    await ask(agents, { type: 'open', url: plane.origin, keys, count })
    const pid = plane.pid ?? 0
    const cpuOver = async (ms: number) => {
      const [usedSeconds, fromMs] = [await cpuSeconds(pid), performance.now()]
      await sleep(ms)
      return (((await cpuSeconds(pid)) - usedSeconds) * 1_000) / (performance.now() - fromMs)
    }
    await sleep(SETTLE_MS / 4)
    const idleCpuShare = await cpuOver(MEASURED_MS / 3)
    agents.send({ type: 'ask', resource: RESOURCE, tenants: TENANTS, load: LOAD })
    await sleep(SETTLE_MS)
    await ask<LeasesSeen>(agents, { type: 'see' })
    const fromMs = performance.now()
    const cpuShare = await cpuOver(MEASURED_MS)
    const { asked, roundTripsMs, sums } = await ask<LeasesSeen>(agents, { type: 'see' })
    const part = (of: 'most' | 'usable') => ({
      all: (sums.all?.[of] ?? Number.NaN) / quotas.all,
      few: (sums.few?.[of] ?? Number.NaN) / quotas.few,
    })
    return {
      questionsPerSecond: (asked * 1_000) / (performance.now() - fromMs),
      p50Ms: share(roundTripsMs, 0.5),
      p99Ms: share(roundTripsMs, 0.99),
      cpuShare,
      idleCpuShare,
      rssMb: (await rssKb(pid)) / 1_024,
      most: part('most'),
      usable: part('usable'),
    }
  } finally {
    const ended = once(agents, 'exit')
    agents.kill()
    await ended
  }
}
