import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { allApplied, check } from './demo/check.ts'
import { ControlPlane, freePort } from './demo/control-plane.ts'
import { ownDatabase } from './demo/database.ts'
import { Fleet, prepare } from './demo/fleet.ts'
import { Rest } from './demo/rest.ts'
import { CAPACITY_PER_SECOND } from './shape.ts'

/** `npm run demo`: everything on this machine, until Ctrl-C. `-- --check`: the same without a person; one JSON line at the end. */
const checking = process.argv.includes('--check')
const started = performance.now()
const say = (line: string): void =>
  console.log(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${line}`)

const undo: (() => Promise<unknown>)[] = []
/** Ends everything in reverse order, once, whatever fails. */
let ending: Promise<void> | undefined
const end = (): Promise<void> => {
  ending ??= (async () => {
    for (const step of undo.reverse()) await step().catch((error: unknown) => say(`While ending: ${String(error)}`))
  })()
  return ending
}

const run = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-demo-'))
  // A Ctrl-C of the terminal reaches PostgreSQL as well, which may be writing still.
  undo.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  const snapshots = join(folder, 'snapshots')
  await mkdir(snapshots)
  const server = process.env.DATABASE_URL
  const database = server ? await ownDatabase(server) : undefined
  if (database) undo.push(database.drop)

  say(
    database
      ? 'Starting the control plane on a database of its own on your server …'
      : 'Starting the control plane with its own PostgreSQL …',
  )
  const controlPlane = new ControlPlane(
    checking ? await freePort() : Number(process.env.PORT ?? 7400),
    folder,
    database?.url,
  )
  undo.push(() => controlPlane.stop())
  await controlPlane.start()
  const token = await controlPlane.weir('token', 'create', '--name', 'demo', '--role', 'admin')
  const rest = new Rest(controlPlane.origin, token)

  say('Creating two services, their policies and keys …')
  const keys = await prepare(rest)
  say('Starting two order services, a payment service and a load generator …')
  const fleet = await Fleet.start(controlPlane, keys, snapshots)
  undo.push(() => fleet.stop())

  if (checking) {
    const figures = await check(controlPlane, rest, fleet, say)
    await end()
    say('Everything held.')
    console.log(JSON.stringify({ figures }))
    return
  }
  await allApplied(rest, fleet.services.length, 20_000)
  const link = await controlPlane.weir(
    'operator',
    'sign-in-link',
    '--create',
    '--email',
    'demo@weir.invalid',
    '--name',
    'Demo',
    '--role',
    'admin',
    '--origin',
    controlPlane.origin,
  )
  console.log(
    `\n  Dashboard   ${controlPlane.origin}\n  Sign in     ${link}   (works once)\n\n  Ctrl-C ends everything.\n`,
  )
  await swing(fleet)
}

/** Calm at half of capacity, then three times capacity, over and over. */
const swing = async (fleet: Fleet): Promise<void> => {
  for (const factor of [0.5, 3].values()) {
    fleet.load.rate(factor * CAPACITY_PER_SECOND)
    say(
      factor < 1
        ? 'Calm: half of what the fleet can do.'
        : 'Peak: three times what the fleet can do. Watch it shed, and goodput hold.',
    )
    await pause(20_000)
  }
  if (!ending) await swing(fleet)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    say('Ending everything …')
    void end().then(() => process.exit(0))
  })

run().catch(async (error: unknown) => {
  if (ending) return
  console.error(error instanceof Error ? error.message : error)
  await end()
  process.exitCode = 1
})
