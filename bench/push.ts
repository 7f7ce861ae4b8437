/** `npm run bench:push`: from a publish to the last agents, beside a bare broadcast of the same bytes to as many sockets, and what an agent's socket costs. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Weir } from '@weir/agent'
import type { CreatedKey } from '@weir/api'
import { ControlPlane, freePort } from '../examples/fleet/src/demo/control-plane.ts'
import { Rest } from '../examples/fleet/src/demo/rest.ts'
import { type Answer, type Ask, type BareAnswer, type BareAsk, epochMs } from './push/message.ts'
import { median } from './rounds.ts'

const SIZES = [1_000, 10_000]
const ROUNDS = 7
const REAL_AGENTS = 20
/** Of one key: half of what the control plane lets it have. */
const PER_KEY = 250
const SOCKETS = new URL('push/sockets.ts', import.meta.url)
const SETTLE_MS = 12_000

const child = (file: URL): ChildProcess => fork(file, { execArgv: ['--conditions', 'weir-src', '--no-warnings'] })

const ask = async <A extends { type: string }>(to: ChildProcess, question: Ask | BareAsk): Promise<A> => {
  const answer = once(to, 'message') as Promise<[A]>
  const ended = once(to, 'exit').then(() => Promise.reject(new Error('A process of sockets ended.')))
  to.send(question)
  return (await Promise.race([answer, ended]))[0]
}

const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN

const rssKb = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
}

const policyOf = (round: number): string =>
  `gates:\n${Array.from({ length: 8 }, (_, i) => `  gate-${i}:\n    concurrency: ${10 + ((round + i) % 50)}\n    queue: { maxWaitMs: 200 }`).join('\n')}\n`

const folder = await mkdtemp(join(tmpdir(), 'weir-push-'))
const plane = new ControlPlane(await freePort(), folder, process.env.DATABASE_URL)
const [agents, idle, bare] = [child(SOCKETS), child(SOCKETS), child(new URL('push/bare.ts', import.meta.url))]
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
