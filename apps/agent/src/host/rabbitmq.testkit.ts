import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'amqplib'
import { EPMD, pathOf, RABBITMQ } from '../../../../tools/system-packages.ts'
import { freePort } from './free-port.testkit.ts'

/** A RabbitMQ of one's own, with a name server of its own for Erlang, so that nothing stays behind. */
export class TestRabbit {
  readonly #folder: string
  readonly #ports: { readonly amqp: number; readonly names: number; readonly distribution: number }
  #names: ChildProcess | undefined
  #broker: ChildProcess | undefined

  private constructor(folder: string, ports: { amqp: number; names: number; distribution: number }) {
    this.#folder = folder
    this.#ports = ports
  }

  static async start(): Promise<TestRabbit> {
    const ports = { amqp: await freePort(), names: await freePort(), distribution: await freePort() }
    const rabbit = new TestRabbit(await mkdtemp(join(tmpdir(), 'weir-rabbit-')), ports)
    await writeFile(join(rabbit.#folder, 'plugins'), '[].')
    await rabbit.up()
    return rabbit
  }

  get url(): string {
    return `amqp://127.0.0.1:${this.#ports.amqp}`
  }

  /** Starts it, over what it had before. Resolves when it answers. */
  async up(): Promise<void> {
    const [broker, names] = [pathOf(RABBITMQ), pathOf(EPMD)]
    if (broker === undefined || names === undefined) throw new Error('There is no RabbitMQ: install rabbitmq-server.')
    this.#names = spawn(names, ['-port', String(this.#ports.names), '-address', '127.0.0.1'], { stdio: 'ignore' })
    this.#broker = spawn(broker, [], {
      stdio: 'ignore',
      detached: true,
      env: {
        PATH: process.env.PATH,
        HOME: this.#folder,
        ERL_EPMD_PORT: String(this.#ports.names),
        RABBITMQ_NODENAME: `weir-${this.#ports.amqp}@localhost`,
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_NODE_PORT: String(this.#ports.amqp),
        RABBITMQ_DIST_PORT: String(this.#ports.distribution),
        RABBITMQ_MNESIA_BASE: join(this.#folder, 'data'),
        RABBITMQ_LOG_BASE: join(this.#folder, 'log'),
        RABBITMQ_ENABLED_PLUGINS_FILE: join(this.#folder, 'plugins'),
        RABBITMQ_CONFIG_FILE: join(this.#folder, 'none'),
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none +A 4',
      },
    })
    for (let tries = 0; ; tries++) {
      try {
        const connection = await connect(this.url)
        await connection.close()
        return
      } catch (error) {
        if (tries > 600 || this.#broker.exitCode !== null) throw error
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    }
  }

  /** As the machine's end would: the broker and all that it started. */
  async kill(): Promise<void> {
    const [broker, names] = [this.#broker, this.#names]
    this.#broker = undefined
    this.#names = undefined
    const gone = [broker, names]
      .filter((one) => one !== undefined && one.exitCode === null)
      .map((one) => once(one as ChildProcess, 'exit'))
    if (broker?.pid !== undefined && broker.exitCode === null) process.kill(-broker.pid, 'SIGKILL')
    names?.kill('SIGKILL')
    await Promise.all(gone)
  }

  async stop(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
