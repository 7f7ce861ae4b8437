import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Agent } from '@weir/api'
import { CAPACITY_PER_SECOND, ENVIRONMENT, SMALLER_QUOTA, type Tenant } from '../shape.ts'
import type { ControlPlane } from './control-plane.ts'
import type { Fleet } from './fleet.ts'
import { type Interval, sum } from './load-generator.ts'
import type { Rest } from './rest.ts'
import { until } from './wait.ts'

const { tenant, ratePerSecond } = SMALLER_QUOTA
/** How far the admitted rate may be from the limit, and the figures of the dashboard from the generator's own. */
const RATE_TOLERANCE = 0.1
const FIGURES_TOLERANCE = 0.005

class Failed extends Error {}

const expect = (holds: boolean, sentence: string): void => {
  if (!holds) throw new Failed(sentence)
}

/** Of what was answered: an answer may come an interval after its request. */
const share = (interval: Interval): number =>
  (interval.refused + interval.failed) / Math.max(1, interval.ok + interval.refused + interval.failed)
const rate = (interval: Interval): number => interval.ok / interval.seconds
/** What the gate let pass, also where payments refused it then. */
const admitted = (interval: Interval): number => (interval.ok + interval.failed) / interval.seconds
const words = (interval: Interval): string => {
  const per = (count: number): string => (count / interval.seconds).toFixed(0)
  return `  sent ${per(interval.sent)}/s: ${per(interval.ok)} ok, ${per(interval.refused)} refused, ${per(interval.failed)} failed`
}
const round = (value: number): number => Math.round(value * 1_000) / 1_000

const applied = (agents: readonly Agent[], count: number): boolean =>
  agents.filter((agent) => agent.connected && agent.status === 'applied').length >= count

/** Waits until every process of the fleet is connected and has applied what is intended for it. */
export const allApplied = (rest: Rest, count: number, timeoutMs: number): Promise<Agent[]> =>
  until(
    `${count} agents to have applied their policy`,
    async () => {
      const agents = await rest.agents(ENVIRONMENT)
      return applied(agents, count) && agents
    },
    timeoutMs,
  )

/** Figures at the peak once it is steady: five seconds, measured anew while processes still warm up, three times at most. */
const settled = async (fleet: Fleet, say: (line: string) => void): Promise<Interval> => {
  await pause(3_000)
  let interval = (await fleet.load.measure(5_000))()
  say(words(interval))
  for (let again = 0; again < 2 && rate(interval) < 0.8 * CAPACITY_PER_SECOND; again++) {
    interval = (await fleet.load.measure(5_000))()
    say(words(interval))
  }
  return interval
}

const isHeld = (interval: Interval): boolean => Math.abs(admitted(interval) / ratePerSecond - 1) <= RATE_TOLERANCE

/** Figures under the smaller limit: six seconds, measured anew where a busy machine stalled the fleet or its load, three times at most. */
const held = async (
  fleet: Fleet,
  when: string,
  say: (line: string) => void,
): Promise<(tenant?: Tenant) => Interval> => {
  let measured = await fleet.load.measure(6_000)
  say(words(measured()))
  for (let again = 0; again < 2 && !isHeld(measured(tenant)); again++) {
    measured = await fleet.load.measure(6_000)
    say(words(measured()))
  }
  const perSecond = admitted(measured(tenant)).toFixed(1)
  expect(
    isHeld(measured(tenant)),
    `${when}, ${tenant} got ${perSecond}/s through; its quota is ${ratePerSecond}/s, and 10 % are tolerated.`,
  )
  return measured
}

/** Compares the dashboard's totals with what the generator counted itself; every unit has to be accounted for. */
const figuresAgree = async (
  rest: Rest,
  fleet: Fleet,
  since: Date,
): Promise<{ generator: number; dashboard: number }> => {
  fleet.load.rate(0)
  await until('the last answers', async () => fleet.load.now?.open === 0, 10_000)
  const counted = sum((fleet.load.now as NonNullable<typeof fleet.load.now>).totals)
  let last = { generator: 0, dashboard: 0 }
  const agree = (mine: number, theirs: number): boolean =>
    Math.abs(mine - theirs) <= FIGURES_TOLERANCE * Math.max(mine, 1)
  await until(
    'the dashboard to have every unit',
    async () => {
      const totals = await rest.totals(ENVIRONMENT, 'orders', since, new Date(Date.now() + 2_000))
      last = { generator: counted.sent, dashboard: totals.offered ?? 0 }
      return agree(counted.sent, totals.offered ?? 0) && agree(counted.ok, (totals.completed ?? 0) + (totals.late ?? 0))
    },
    15_000,
    500,
  ).catch((error: unknown) => {
    throw new Failed(
      `${String((error as Error).message)} The generator sent ${last.generator}, the dashboard says ${last.dashboard}.`,
    )
  })
  return last
}

const residentMb = (pid: number | undefined): number => {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024)
  } catch {
    return Number.NaN
  }
}

/** The demo without a person: overload, a smaller limit, an outage of the control plane, its return. Throws a sentence when anything does not hold. */
export const check = async (
  controlPlane: ControlPlane,
  rest: Rest,
  fleet: Fleet,
  say: (line: string) => void,
): Promise<Record<string, number>> => {
  const agents = fleet.services.length
  const since = new Date(Date.now() - 1_000)
  say(`Waiting for ${agents} agents …`)
  await allApplied(rest, agents, 20_000)

  say('Three times capacity …')
  fleet.load.rate(3 * CAPACITY_PER_SECOND)
  const before = await settled(fleet, say)
  expect(before.refused > 0, 'Nothing was shed at three times capacity.')
  expect(
    rate(before) >= 0.8 * CAPACITY_PER_SECOND,
    `Goodput fell to ${rate(before).toFixed(0)}/s at three times capacity; the fleet can do ${CAPACITY_PER_SECOND}/s.`,
  )

  say(`Publishing a smaller limit: ${tenant} may do ${ratePerSecond}/s …`)
  const published = performance.now()
  const { revision } = await rest.putQuota(ENVIRONMENT, 'orders', SMALLER_QUOTA, 'The check makes it smaller')
  const receipts = (await rest.agents(ENVIRONMENT)).filter((agent) => agent.service === 'orders').length
  await until(
    'the receipts',
    async () =>
      (await rest.agents(ENVIRONMENT)).filter(
        (agent) => agent.service === 'orders' && agent.appliedRevision === revision && agent.status === 'applied',
      ).length === receipts,
    10_000,
    20,
  )
  const appliedMs = performance.now() - published
  await pause(2_000)
  const smaller = await held(fleet, 'Under the smaller limit', say)
  expect(share(smaller(tenant)) > share(before), `The share of ${tenant}'s work that is refused did not rise.`)
  const memoryMb = residentMb(controlPlane.pid)

  say('Killing the control plane …')
  await controlPlane.kill()
  await pause(2_000)
  const outage = await held(fleet, 'With the control plane gone', say)
  expect(outage().refused > 0, 'With the control plane gone nothing was shed any more.')

  say('Starting it again …')
  const restarted = performance.now()
  await controlPlane.start()
  const back = await allApplied(rest, agents, 40_000)
  const recoveredMs = performance.now() - restarted
  expect(
    back.some((agent) => agent.service === 'orders' && agent.appliedRevision === revision),
    'The published revision was lost.',
  )
  const figures = await figuresAgree(rest, fleet, since)

  return {
    agents,
    applied_ms: Math.round(appliedMs),
    shed_before: round(share(before)),
    shed_after: round(share(smaller())),
    tenant_shed_after: round(share(smaller(tenant))),
    tenant_per_s: round(admitted(smaller(tenant))),
    tenant_per_s_outage: round(admitted(outage(tenant))),
    goodput_per_s: round(rate(before)),
    recovered_ms: Math.round(recoveredMs),
    sent: figures.generator,
    accounted_for: figures.dashboard,
    control_plane_mb: memoryMb,
  }
}
