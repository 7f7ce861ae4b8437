/**
 * `npm run fleet`: three replicas of the control plane, PostgreSQL, Redis, a balancer and a small fleet of agents on this machine, until Ctrl-C.
 * `-- --check`: sixty agents at three times a tenant's quota, while replicas, Redis, PostgreSQL and the network fail; one JSON line at the end.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ensure, HAPROXY, REDIS } from '../tools/system-packages.ts'
import { Check, loadsOf, USED } from './fleet/check.ts'
import { Namespace } from './fleet/namespace.ts'
import { Stage } from './fleet/stage.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false }, port: { type: 'string' } } })
const began = performance.now()
const say = (line: string): void =>
  console.log(`${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s  ${line}`)

/** The last steps first. */
const undo: (() => unknown)[] = []
let ending: Promise<void> | undefined
const end = (): Promise<void> => {
  ending ??= (async () => {
    for (const step of undo.reverse())
      await Promise.resolve(step()).catch((error: unknown) => say(`While ending: ${String(error)}`))
  })()
  return ending
}

const stageOf = async (replicas: number, namespace: boolean, port?: number): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-fleet-'))
  // A Ctrl-C of the terminal reaches PostgreSQL as well, which may be writing still.
  undo.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  return Stage.start({ folder, replicas, namespace, undo, ...(port === undefined ? {} : { port }) })
}

const show = async (): Promise<void> => {
  say('Starting PostgreSQL, Redis, three replicas and a balancer …')
  const stage = await stageOf(3, false, values.port === undefined ? 7400 : Number(values.port))
  const key = await stage.prepare(300, 30)
  await stage.agents(key, loadsOf(12, 300), 3)
  const link = await stage.replicas[0]?.weir(
    ...['operator', 'sign-in-link', '--create', '--email', 'demo@weir.invalid', '--name', 'Demo', '--role', 'admin'],
    ...['--origin', stage.origin],
  )
  const replicas = stage.replicas.map(({ origin, pid }) => `\n  Replica     ${origin}   process ${pid}`).join('')
  console.log(
    `\n  Dashboard   ${stage.origin}\n  Sign in     ${link}   (works once)${replicas}\n  Redis       ${stage.redis.url}\n\n  Ctrl-C ends everything.\n`,
  )
  await new Promise(() => undefined)
}

const AGENTS = 60
const RATE = 600
/** Half a second of it: a busy machine stalls the agents that are offered work, and what a bucket cannot hold meanwhile is lost. */
const BURST = 300
const WATCH_MS = 10_000
const JOINED_MS = 15_000

const check = async (): Promise<void> => {
  const cuts = Namespace.allowed
  if (!cuts) say('Cutting a replica off needs root, for a network namespace: that part is left out.')
  const stage = await stageOf(3, cuts)
  say('Three replicas, PostgreSQL, Redis and the balancer are up.')
  const key = await stage.prepare(RATE, BURST)
  await stage.agents(key, loadsOf(AGENTS, RATE), 6)
  const measured = new Check(stage, { rate: RATE, burst: BURST, agents: AGENTS, watchMs: WATCH_MS }, say)
  await measured.everybody()
  // While agents join, and for as long as a lease after, 2 % are held back for the next one.
  await pause(JOINED_MS)
  const used = await measured.steady(15_000)

  const killed = (await stage.owner()) ?? stage.replicas[0]
  await measured.fault(
    'kill -9 of the owner',
    () => killed?.kill(),
    10_000,
    () => killed?.start(),
  )
  await measured.fault(
    'Redis killed and started',
    () => stage.redis.kill(),
    1_000,
    () => stage.redis.up(),
  )
  await measured.fault(
    'PostgreSQL stopped for 30 s',
    () => stage.postgres.stop(),
    30_000,
    () => stage.postgres.revive(),
  )
  if (stage.namespace !== null) {
    const { namespace } = stage
    await measured.fault(
      'a replica cut off for 30 s',
      () => namespace.cut(),
      30_000,
      () => namespace.mend(),
    )
  }
  for (const replica of stage.replicas)
    await measured.fault(
      'a planned restart',
      () => replica.stop(),
      0,
      () => replica.start(),
    )
  await measured.everybody()
  const usedAfter = await measured.steady(10_000)

  const { faults, peak } = measured
  await end()
  const figures = {
    agents: AGENTS,
    used,
    used_after: usedAfter,
    peak,
    ...Object.fromEntries(faults.map(({ name, ...rest }, i) => [`${i + 1} ${name}`, rest])),
  }
  if (peak > 1) throw new Error(`In some second ${peak} of what may be was admitted.`)
  if (used < USED) throw new Error(`Only ${used} of the quota was used.`)
  console.log(JSON.stringify({ figures }))
}

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted = true
    say('Ending everything …')
    void end().then(() => process.exit(0))
  })

try {
  ensure(REDIS)
  ensure(HAPROXY)
  await (values.check ? check() : show())
} catch (error) {
  if (!interrupted) console.error(error instanceof Error ? error.message : error)
  await end()
  process.exitCode = 1
}
