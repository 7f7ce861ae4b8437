/**
 * `npm run bench:push`: from a publish to the last agents, beside a bare broadcast of the same bytes to as many sockets; what an agent's socket costs; and
 * an edit of a large policy; a fleet that asks for leases; and a whole fleet that comes back after a restart. `--sizes 1000,10000`; `--large 1000`, `--leases 10000` and `--storm 10000`
 * agents for the last three, 0: none.
 */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Weir } from '@weir/agent'
import type { CreatedKey } from '@weir/api'
import { ControlPlane, freePort } from '../examples/fleet/src/demo/control-plane.ts'
import { Rest } from '../examples/fleet/src/demo/rest.ts'
import { ask, child, rssKb, share } from './push/children.ts'
import { largePush } from './push/large.ts'
import { leased } from './push/leases.ts'
import { type Answer, type BareAnswer, epochMs } from './push/message.ts'
import { type StormFigures, storms } from './push/storm.ts'
import { median } from './rounds.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000' },
    large: { type: 'string', default: '1000' },
    leases: { type: 'string', default: '10000' },
    storm: { type: 'string', default: '10000' },
  },
})
const SIZES = values.sizes
  .split(',')
  .map(Number)
  .filter((size) => size > 0)
const LARGE = Number(values.large)
const LEASES = Number(values.leases)
const STORM = Number(values.storm)
const ROUNDS = 7
const REAL_AGENTS = 20
/** Of one key: half of what the control plane lets it have. */
const PER_KEY = 250
const SETTLE_MS = 12_000

const policyOf = (round: number): string =>
  `gates:\n${Array.from({ length: 8 }, (_, i) => `  gate-${i}:\n    concurrency: ${10 + ((round + i) % 50)}\n    queue: { maxWaitMs: 200 }`).join('\n')}\n`

const tellStorm = (kind: string, seen: StormFigures): void => {
  console.log(
    `${STORM} agents through a restart, ${kind}: down ${seen.downSeconds.toFixed(1)} s, half back ${seen.halfSeconds.toFixed(1)} s after it was ready, all ${seen.allSeconds.toFixed(1)} s, ` +
      `${seen.lockedOut} locked out; ${seen.attempts} hellos; ${seen.cpuSeconds.toFixed(1)} s of processor time, ${seen.peakMb.toFixed(0)} MB at the peak`,
  )
  for (const [fault, count] of Object.entries(seen.faults)) console.log(`  ${count} x ${fault}`)
}

const folder = await mkdtemp(join(tmpdir(), 'weir-push-'))
const plane = new ControlPlane(await freePort(), folder, process.env.DATABASE_URL)
const [agents, idle, bare] = [
  child(new URL('push/sockets.ts', import.meta.url)),
  child(new URL('push/sockets.ts', import.meta.url)),
  child(new URL('push/bare.ts', import.meta.url)),
]
const [{ url: bareUrl }] = (await once(bare, 'message')) as [Extract<BareAnswer, { type: 'listening' }>]
const real: Weir[] = []
const figures: Record<string, number> = {}
try {
  await plane.start()
  const rest = new Rest(plane.origin, await plane.weir('token', 'create', '--role', 'admin', '--name', 'bench'))
  await rest.call('POST', '/environments', { body: { name: 'bench' } })
  await rest.call('POST', '/environments/bench/services', { body: { name: 'orders' } })
  const key = async (name: string): Promise<string> =>
    (await rest.call<CreatedKey>('POST', '/environments/bench/keys', { body: { name, services: ['orders'] } })).body
      .secret
  await rest.publish('bench', 'orders', policyOf(0), 'first')
  const realKey = await key('real')
  for (let i = 0; i < REAL_AGENTS; i++)
    real.push(
      await Weir.start({
        controlPlane: plane.webSocket,
        key: realKey,
        instance: `real-${i}`,
        snapshotDir: false,
        telemetry: 'off',
      }),
    )
  const before = await rssKb(plane.pid ?? 0)

  let opened = 0
  let round = 0
  for (const size of SIZES) {
    const keys = await Promise.all(Array.from({ length: Math.ceil(size / PER_KEY) }, (_, i) => key(`${size}-${i}`)))
    const more = { type: 'open', count: size - opened } as const
    const { tookMs } = await ask<Extract<Answer, { type: 'opened' }>>(agents, { ...more, url: plane.origin, keys })
    await ask(idle, { ...more, url: bareUrl, keys: [] })
    opened = size
    console.log(`${size} agents connected in ${(tookMs / 1_000).toFixed(1)} s`)
    // Joins are told to everybody, gathered; then it is quiet.
    await sleep(SETTLE_MS)
    const perAgentKb = async () => ((await rssKb(plane.pid ?? 0)) - before) / size
    const connectedKb = await perAgentKb()
    const rows: { pushMs: number; requestMs: number; bareMs: number; realMs: number }[] = []
    for (let i = 0; i < ROUNDS; i++) {
      round++
      const had = ask<Extract<Answer, { type: 'arrived' }>>(agents, { type: 'expect' })
      const from = epochMs()
      let committed = 0
      const published = rest.publish('bench', 'orders', policyOf(round), `round ${round}`).then((answer) => {
        committed = epochMs()
        return answer
      })
      const { revision } = await published
      const applied = (async () => {
        while (real.some((weir) => (weir.status().policy?.revision ?? 0) < revision)) await sleep(2)
        return epochMs()
      })()
      const { at, bytes } = await had
      const realAt = await applied
      const none = ask<Extract<Answer, { type: 'arrived' }>>(idle, { type: 'expect' })
      await sleep(50)
      const sent = await ask<Extract<BareAnswer, { type: 'sent' }>>(bare, { type: 'send', bytes })
      const bareAt = (await none).at
      rows.push({
        pushMs: Math.max(0, share(at, 0.99) - committed),
        requestMs: share(at, 0.99) - from,
        bareMs: share(bareAt, 0.99) - sent.at,
        realMs: realAt - committed,
      })
      await sleep(1_500)
    }
    const of = (name: keyof (typeof rows)[number]) => median(rows.map((row) => row[name]))
    const pushedKb = await perAgentKb()
    console.log(
      `  answered 2xx to the 99 % agent ${of('pushMs').toFixed(0)} ms (asked to it ${of('requestMs').toFixed(0)} ms), bare ${of('bareMs').toFixed(0)} ms; ` +
        `${REAL_AGENTS} real agents applied within ${of('realMs').toFixed(0)} ms; ${connectedKb.toFixed(1)} KB an agent, ${pushedKb.toFixed(1)} KB after the pushes`,
    )
    figures[`P1_${size}`] = of('pushMs') / of('bareMs')
    figures[`P1_${size}_asked`] = of('requestMs') / of('bareMs')
    figures[`bare_ms_${size}`] = of('bareMs')
    figures[`real_ms_${size}`] = of('realMs')
    figures[`connect_s_${size}`] = tookMs / 1_000
    figures.P2_kb = connectedKb
    figures.P2_kb_after_pushes = pushedKb
  }
  for (const one of [agents, idle]) one.kill()
  if (LARGE > 0) {
    const large = await largePush(LARGE)
    console.log(
      `${LARGE} agents, one of 10,000 quotas edited: ${large.deltaBytes} B to each, the last 1 % after ${large.deltaMs.toFixed(0)} ms, ${large.deltaCpuMs.toFixed(0)} ms of processor time; ` +
        `all edited: ${large.snapshotBytes} B, ${large.snapshotMs.toFixed(0)} ms, ${large.snapshotCpuMs.toFixed(0)} ms`,
    )
    figures.delta_bytes = large.deltaBytes
    figures.snapshot_bytes = large.snapshotBytes
    figures.delta_ms = large.deltaMs
    figures.snapshot_ms = large.snapshotMs
  }
  if (LEASES > 0) {
    const keys = await Promise.all(Array.from({ length: Math.ceil(LEASES / PER_KEY) }, (_, i) => key(`leases-${i}`)))
    const seen = await leased(plane, rest, keys, LEASES)
    const percent = (part: number) => `${(part * 100).toFixed(1)} %`
    console.log(
      `${LEASES} agents that ask for leases: ${seen.questionsPerSecond.toFixed(0)} questions a second, answered in ${seen.p50Ms.toFixed(1)} ms, the slowest 1 % in ${seen.p99Ms.toFixed(1)} ms or more; ` +
        `${percent(seen.cpuShare)} of a core (${percent(seen.idleCpuShare)} before), ${seen.rssMb.toFixed(0)} MB; at most ${percent(seen.most.all)} and ${percent(seen.most.few)} of the quotas usable at any moment, ` +
        `${percent(seen.usable.all)} and ${percent(seen.usable.few)} in the end`,
    )
    figures.leases_p50_ms = seen.p50Ms
    figures.leases_p99_ms = seen.p99Ms
    figures.leases_cpu = seen.cpuShare
    figures.leases_idle_cpu = seen.idleCpuShare
    figures.leases_mb = seen.rssMb
    figures.leases_peak = Math.max(seen.most.all, seen.most.few)
    figures.leases_usable = Math.min(seen.usable.all, seen.usable.few)
  }
  if (STORM > 0) {
    const keys = await Promise.all(Array.from({ length: Math.ceil(STORM / PER_KEY) }, (_, i) => key(`storm-${i}`)))
    const publish = async (why: string) => (await rest.publish('bench', 'orders', policyOf(++round), why)).revision
    const storm = await storms({ plane, keys, count: STORM, publish })
    for (const [kind, seen] of Object.entries(storm)) tellStorm(kind, seen)
    const both = Object.values(storm)
    figures.storm_s = Math.max(...both.map(({ allSeconds }) => allSeconds))
    figures.storm_peak_mb = Math.max(...both.map(({ peakMb }) => peakMb))
    figures.storm_locked_out = both.reduce((sum, { lockedOut }) => sum + lockedOut, 0)
    for (const [kind, seen] of Object.entries(storm)) {
      figures[`storm_${kind}_s`] = seen.allSeconds
      figures[`storm_${kind}_cpu_s`] = seen.cpuSeconds
    }
  }
} finally {
  await Promise.all(real.map((weir) => weir.close()))
  for (const one of [agents, idle, bare]) one.kill()
  await plane.stop()
  await rm(folder, { recursive: true, force: true })
}
console.log(
  JSON.stringify({
    figures: Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000]),
    ),
  }),
)
