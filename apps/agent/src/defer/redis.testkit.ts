import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { pathOf, REDIS } from '../../../../tools/system-packages.ts'
import { freePort } from '../host/free-port.testkit.ts'

/** As of redis.conf. */
type Settings = Readonly<Record<string, string>>

/** A Redis of one's own in a temporary folder, reached by a socket there or a port of the loopback, which has written what it acknowledges. */
export class TestRedis {
  readonly port: number
  readonly #folder: string
  readonly #settings: Settings
  #process: ChildProcess | undefined

  private constructor(folder: string, port: number, settings: Settings) {
    this.#folder = folder
    this.port = port
    this.#settings = settings
  }

  /** `settings`: in place of those below. */
  static async start(settings: (port: number) => Settings = () => ({})): Promise<TestRedis> {
    const port = await freePort()
    const redis = new TestRedis(await mkdtemp(join(tmpdir(), 'weir-redis-')), port, settings(port))
    await redis.up()
    return redis
  }

  /** The same one after each `up`. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  get socket(): string {
    return join(this.#folder, 'redis.sock')
  }

  /** Starts it, over what it had before. Resolves when it answers. */
  async up(): Promise<void> {
    const binary = pathOf(REDIS)
    if (binary === undefined) throw new Error('There is no redis-server: install it, or name its path in REDIS_SERVER.')
    const settings = {
      port: String(this.port),
      bind: '127.0.0.1',
      unixsocket: this.socket,
      dir: this.#folder,
      save: '',
      appendonly: 'yes',
      appendfsync: 'always',
      ...this.#settings,
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
    this.#process = spawn(binary, args, { stdio: 'ignore' })
    await this.ask((client) => client.ping())
  }

  /** As the machine's end would. */
  async kill(): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const gone = once(running, 'exit')
    running.kill('SIGKILL')
    await gone
  }

  /** Over a connection of its own, once there is one. */
  async ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis({ path: this.socket, retryStrategy: () => 20, maxRetriesPerRequest: 500 })
    client.on('error', () => undefined)
    try {
      return await question(client)
    } finally {
      client.disconnect()
    }
  }

  async stop(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
