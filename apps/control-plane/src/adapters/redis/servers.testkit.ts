import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, vi } from 'vitest'
import { pathOf, REDIS } from '../../../../../tools/system-packages.ts'
import { TestRedis } from '../../../../agent/src/defer/redis.testkit.ts'
import { freePort } from '../../../../agent/src/host/free-port.testkit.ts'

const MASTER = 'weir'
const SLOTS = 16_384
/** A master that is silent for so long is down, milliseconds. */
const DOWN_MS = 500

const SOON = { timeout: 30_000, interval: 50 }
const WHOLE = /cluster_state:ok[\s\S]*cluster_known_nodes:3/

type Settings = Readonly<Record<string, string>>
/** For servers that speak TLS only; default: none of it. */
export type Secured = (port: number) => Settings
const PLAIN: Secured = () => ({})

/** A master, its copy, and one sentinel who decides alone. */
export class Watched {
  private constructor(
    readonly master: TestRedis,
    readonly copy: TestRedis,
    readonly url: string,
    private readonly sentinel: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(secured: Secured = PLAIN): Promise<Watched> {
    const tls = secured !== PLAIN
    const replicates: Settings = { 'repl-diskless-sync-delay': '0', ...(tls ? { 'tls-replication': 'yes' } : {}) }
    const master = await TestRedis.start((port) => ({ ...secured(port), ...replicates }))
    const copy = await TestRedis.start((port) => ({
      ...secured(port),
      ...replicates,
      replicaof: `127.0.0.1 ${master.port}`,
    }))
    const copied = () => copy.ask((client) => client.info('replication'))
    await vi.waitFor(async () => expect(await copied()).toContain('master_link_status:up'), SOON)
    const folder = await mkdtemp(join(tmpdir(), 'weir-sentinel-'))
    const port = await freePort()
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: folder,
      ...secured(port),
      ...(tls ? { 'tls-replication': 'yes' } : {}),
    }
    const lines = [
      ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
      `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds ${MASTER} ${DOWN_MS}`,
      `sentinel failover-timeout ${MASTER} 5000`,
    ]
    await writeFile(join(folder, 'sentinel.conf'), `${lines.join('\n')}\n`)
    const sentinel = spawn(pathOf(REDIS) ?? 'redis-server', [join(folder, 'sentinel.conf'), '--sentinel'], {
      stdio: 'ignore',
    })
    const client = new Redis({ host: '127.0.0.1', port, ...(tls ? { tls: {} } : {}), retryStrategy: () => 20 })
    client.on('error', () => undefined)
    await vi.waitFor(async () => expect(await client.call('SENTINEL', 'REPLICAS', MASTER)).toHaveLength(1), SOON)
    client.disconnect()
    return new Watched(master, copy, `redis${tls ? 's' : ''}+sentinel://127.0.0.1:${port}/${MASTER}`, sentinel, folder)
  }

  /** Whether the copy is the master now. */
  async isOver(): Promise<boolean> {
    return (await this.copy.ask((client) => client.info('replication'))).includes('role:master')
  }

  async stop(): Promise<void> {
    const gone = once(this.sentinel, 'exit')
    this.sentinel.kill('SIGKILL')
    await gone
    await Promise.all([this.master.stop(), this.copy.stop(), rm(this.folder, { recursive: true, force: true })])
  }
}

/** A cluster of three masters. */
export class Clustered {
  private constructor(
    readonly nodes: readonly TestRedis[],
    readonly url: string,
  ) {}

  static async start(secured: Secured = PLAIN): Promise<Clustered> {
    const tls = secured !== PLAIN
    const nodes: TestRedis[] = []
    for (let i = 0; i < 3; i++) {
      // By custom it is the port and 10,000, which may be past the last.
      const busPort = await freePort()
      nodes.push(
        await TestRedis.start((port) => ({
          'cluster-enabled': 'yes',
          'cluster-port': String(busPort),
          'cluster-node-timeout': '1000',
          ...secured(port),
          ...(tls ? { 'tls-cluster': 'yes' } : {}),
        })),
      )
      const first = Math.ceil((SLOTS * i) / 3)
      const last = Math.ceil((SLOTS * (i + 1)) / 3) - 1
      await nodes[i]?.ask(async (client) => {
        await client.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1)
        await client.call('CLUSTER', 'ADDSLOTSRANGE', first, last)
        if (i > 0) await client.call('CLUSTER', 'MEET', '127.0.0.1', nodes[0]?.port ?? 0, await busPortOf(nodes[0]))
      })
    }
    const clustered = new Clustered(
      nodes,
      `redis${tls ? 's' : ''}+cluster://127.0.0.1:${nodes[0]?.port},127.0.0.1:${nodes[1]?.port}`,
    )
    await clustered.isWhole()
    return clustered
  }

  /** Once every node knows all slots. */
  async isWhole(): Promise<void> {
    const state = (node: TestRedis) => node.ask(async (client) => String(await client.call('CLUSTER', 'INFO')))
    for (const node of this.nodes) await vi.waitFor(async () => expect(await state(node)).toMatch(WHOLE), SOON)
  }

  /** The one that has a key. */
  async nodeOf(key: string): Promise<TestRedis> {
    const [node] = this.nodes
    if (node === undefined) throw new Error('There is no node.')
    const slot = await node.ask((client) => client.call('CLUSTER', 'KEYSLOT', key))
    return this.nodes[Math.floor((Number(slot) * 3) / SLOTS)] ?? node
  }

  async empty(): Promise<void> {
    for (const node of this.nodes) await node.ask((client) => client.flushall())
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()))
  }
}

const busPortOf = async (node: TestRedis | undefined): Promise<number> =>
  Number(((await node?.ask((client) => client.config('GET', 'cluster-port'))) as string[] | undefined)?.[1])
