/** Several agents in one process, offered a tenant's work at a steady rate. Ends with its parent. */
import { Weir } from '@weir/agent'
import { type AgentsOrder, type AgentsReport, GATE, GRAIN_MS, SERVICE, TENANT } from './message.ts'

const OFFER_MS = 5
const REPORT_MS = 250

const order = JSON.parse(process.argv[2] ?? '{}') as AgentsOrder
const { controlPlane, key, snapshots: snapshotDir } = order

const agents = await Promise.all(
  order.agents.map(async ({ instance, perSecond }) => {
    const weir = await Weir.start({ service: SERVICE, controlPlane, key, instance, snapshotDir, telemetry: 'own' })
    return {
      instance,
      perSecond,
      weir,
      gate: weir.gate(GATE),
      due: Math.random(),
      offered: 0,
      grains: new Map<number, number>(),
    }
  }),
)
type Offered = (typeof agents)[number]

const offer = (agent: Offered, ms: number) => {
  agent.due += (agent.perSecond * ms) / 1_000
  for (; agent.due >= 1; agent.due--) {
    agent.offered++
    const entry = agent.gate.tryAcquire({ tenant: TENANT })
    if (!entry.accepted) continue
    const grain = Math.floor((performance.timeOrigin + performance.now()) / GRAIN_MS)
    agent.grains.set(grain, (agent.grains.get(grain) ?? 0) + 1)
    entry.success()
  }
}

let lastMs = performance.now()
setInterval(() => {
  const nowMs = performance.now()
  for (const agent of agents) offer(agent, nowMs - lastMs)
  lastMs = nowMs
}, OFFER_MS)

setInterval(() => {
  const report: AgentsReport = {
    type: 'report',
    agents: agents.map(({ instance, weir, offered, grains }) => ({
      instance,
      connected: weir.status().connected,
      offered,
      admitted: [...grains],
    })),
  }
  for (const agent of agents) agent.grains.clear()
  process.send?.(report)
}, REPORT_MS)

process.once('disconnect', () => process.exit(0))
