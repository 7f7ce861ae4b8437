import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CreatedKey } from '@weir/api'
import { TestRedis } from '../../apps/agent/src/defer/redis.testkit.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../apps/control-plane/src/adapters/postgres/embedded.ts'
import { type Child, start } from '../../examples/fleet/src/demo/child.ts'
import { ControlPlane, freePort } from '../../examples/fleet/src/demo/control-plane.ts'
import { Rest } from '../../examples/fleet/src/demo/rest.ts'
import { until } from '../../examples/fleet/src/demo/wait.ts'
import { HAPROXY, pathOf } from '../../tools/system-packages.ts'
import { type AgentsOrder, type AgentsReport, GATE, SERVICE, TENANT } from './message.ts'
import { Meter } from './meter.ts'
import { Namespace } from './namespace.ts'

const ENVIRONMENT = 'prod'
const MOST_REPLICAS = 3
const POLICY = `gates:
  ${GATE}:
    concurrency: 1000
`

export interface StageOptions {
  readonly folder: string
  readonly replicas: number
  /** Puts the last replica into a namespace, to be cut off. */
  readonly namespace: boolean
  /** Where the balancer listens; default: any free port. */
  readonly port?: number
  /** Every step that ends something, to be done in reverse order. */
  readonly undo: (() => unknown)[]
}

/** Replicas, what they share, a balancer before them, and agents. */
export class Stage {
  readonly meter = new Meter()
  readonly redis: TestRedis
  readonly postgres: EmbeddedPostgres
  readonly replicas: readonly ControlPlane[]
  readonly namespace: Namespace | null
  readonly origin: string
  readonly rest: Rest
  readonly #folder: string
  readonly #undo: (() => unknown)[]

  private constructor(
    made: Pick<Stage, 'redis' | 'postgres' | 'replicas' | 'namespace' | 'origin' | 'rest'>,
    { folder, undo }: StageOptions,
  ) {
    this.redis = made.redis
    this.postgres = made.postgres
    this.replicas = made.replicas
    this.namespace = made.namespace
    this.origin = made.origin
    this.rest = made.rest
    this.#folder = folder
    this.#undo = undo
  }

  static async start(options: StageOptions): Promise<Stage> {
    const { folder, undo } = options
    // PostgreSQL runs as a user of its own where this is root.
    await chmod(folder, 0o755)
    const postgres = await startEmbeddedPostgres(join(folder, 'postgres'))
    undo.push(() => postgres.stop())
    const redis = await TestRedis.start()
    undo.push(() => redis.stop())
    const namespace = options.namespace ? Namespace.open() : null
    if (namespace !== null) undo.push(() => namespace.close())
    const replicas: ControlPlane[] = []
    const ports: string[] = []
    for (let i = 0; i < options.replicas; i++) {
      const inside = namespace !== null && i === options.replicas - 1 ? namespace : null
      const port = await freePort()
      ports.push(`${inside?.host ?? '127.0.0.1'}:${port}`)
      replicas.push(await replicaOf(join(folder, `replica-${i}`), port, { postgres, redis }, inside))
    }
    undo.push(() => Promise.all(replicas.map((replica) => replica.stop())))
    // One after the other: the first one migrates.
    for (const replica of replicas) await replica.start()
    const balancer = `127.0.0.1:${options.port ?? (await freePort())}`
    const haproxy = startBalancer(balancer, ports)
    undo.push(() => ended(haproxy))
    const origin = `http://${balancer}`
    await until('the balancer to find a replica', async () => (await fetch(`${origin}/readyz`)).ok, 20_000)
    const [first] = replicas
    const token = (await first?.weir('token', 'create', '--name', 'fleet', '--role', 'admin')) ?? ''
    return new Stage({ redis, postgres, replicas, namespace, origin, rest: new Rest(origin, token) }, options)
  }

  /** A service with a tenant's quota, per second. Returns the agents' key. */
  async prepare(rate: number, burst: number): Promise<string> {
    const { rest } = this
    await rest.call('POST', '/environments', { body: { name: ENVIRONMENT } })
    await rest.call('POST', `/environments/${ENVIRONMENT}/services`, { body: { name: SERVICE } })
    await rest.publish(ENVIRONMENT, SERVICE, POLICY, 'The fleet')
    const at = `/environments/${ENVIRONMENT}/services/${SERVICE}/quotas/${GATE}/${TENANT}`
    await rest.call('PUT', at, {
      headers: { 'if-none-match': '*' },
      body: { quota: { rate, burst }, reason: 'The fleet' },
    })
    const body = { name: 'fleet', services: [SERVICE] }
    return (await rest.call<CreatedKey>('POST', `/environments/${ENVIRONMENT}/keys`, { body })).body.secret
  }

  /** In so many processes. */
  async agents(key: string, loads: readonly number[], processes: number): Promise<void> {
    const snapshots = join(this.#folder, 'snapshots')
    await mkdir(snapshots, { recursive: true })
    const controlPlane = this.origin.replace('http', 'ws')
    const all = loads.map((perSecond, i) => ({ instance: `agent-${i}`, perSecond }))
    for (let i = 0; i < processes; i++) {
      const order: AgentsOrder = { controlPlane, key, snapshots, agents: all.filter((_, n) => n % processes === i) }
      const child = start(`agents ${i}`, new URL('agents.ts', import.meta.url).pathname, [JSON.stringify(order)], {
        NODE_OPTIONS: '--no-warnings',
      })
      child.process.on('message', (report: AgentsReport) => this.meter.hear(report))
      this.#undo.push(() => child.stop())
      await this.#alive(child)
    }
  }

  /** Instances that the control plane shows as connected. */
  async connected(): Promise<number> {
    const agents = await this.rest.call<{ items: { connected: boolean }[] }>(
      'GET',
      `/environments/${ENVIRONMENT}/agents?limit=1000`,
    )
    return agents.body.items.filter(({ connected }) => connected).length
  }

  /** Which replica owns the book of the service's leases, as Redis has it. */
  async owner(): Promise<ControlPlane | null> {
    const name = await this.redis.ask(async (client) => {
      const [book] = await client.keys('*book:*')
      return book === undefined ? null : client.hget(book, 'owner')
    })
    return this.replicas.find(({ pid }) => name?.split(':')[1] === String(pid)) ?? null
  }

  async #alive(child: Child): Promise<void> {
    const ended = once(child.process, 'exit').then(() => {
      throw new Error(`${child.name} ended while starting:\n${child.output.join('\n')}`)
    })
    await Promise.race([once(child.process, 'message'), ended])
  }
}

const replicaOf = async (
  folder: string,
  port: number,
  { postgres, redis }: Pick<Stage, 'postgres' | 'redis'>,
  namespace: Namespace | null,
): Promise<ControlPlane> => {
  // Without its own service there is one book, so it is known whose owner is killed.
  const own = { WEIR_SELF: 'off' }
  const env = { ...own, REDIS_URL: redis.url, TRUSTED_PROXIES: '127.0.0.1' }
  if (namespace === null) return new ControlPlane(port, folder, postgres.url, { env })
  const moved = async (given: string) => {
    const url = new URL(given)
    const lent = await namespace.lend(Number(url.port))
    return given.replace(`${url.hostname}:${url.port}`, `${namespace.outside}:${lent}`)
  }
  const { host, outside, within } = namespace
  const inside = { ...own, REDIS_URL: await moved(redis.url), TRUSTED_PROXIES: outside }
  return new ControlPlane(port, folder, await moved(postgres.url), { host, within, env: inside })
}

const startBalancer = (address: string, replicas: readonly string[]): ChildProcess => {
  const binary = pathOf(HAPROXY)
  if (binary === undefined) throw new Error('There is no haproxy: install it, or name its path in HAPROXY.')
  const names = Array.from({ length: MOST_REPLICAS }, (_, i) => [`REPLICA_${i + 1}`, replicas[i] ?? '127.0.0.1:1'])
  const config = new URL('../../infra/haproxy.cfg', import.meta.url).pathname
  const env = { ...process.env, BALANCER: address, ...Object.fromEntries(names) }
  return spawn(binary, ['-db', '-f', config], { stdio: 'ignore', env })
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
