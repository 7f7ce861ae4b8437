import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { type Child, start } from './child.ts'
import { until } from './wait.ts'

const app = (file: string): string => new URL(`../../../../apps/control-plane/dist/${file}`, import.meta.url).pathname

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface ControlPlaneOptions {
  /** Default: loopback. */
  readonly host?: string
  readonly env?: Readonly<Record<string, string>>
  /** A command to start it by, such as `ip netns exec …`. */
  readonly within?: readonly string[]
}

/** The control plane as a process of its own, which can be killed and started again on the same data. */
export class ControlPlane {
  readonly origin: string
  readonly #env: Record<string, string>
  readonly #within: readonly string[]
  #child: Child | undefined

  constructor(
    port: number,
    dataFolder: string,
    databaseUrl: string | undefined,
    { host = '127.0.0.1', env = {}, within = [] }: ControlPlaneOptions = {},
  ) {
    this.origin = `http://${host}:${port}`
    this.#within = within
    this.#env = {
      PORT: String(port),
      HOST: host,
      WEIR_DATA: dataFolder,
      LOG_LEVEL: 'warn',
      ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
      ...env,
    }
  }

  get webSocket(): string {
    return this.origin.replace('http', 'ws')
  }

  get output(): readonly string[] {
    return this.#child?.output ?? []
  }

  /** Resident memory of the control plane's own process, bytes. */
  get pid(): number | undefined {
    return this.#child?.process.pid
  }

  async start(): Promise<void> {
    const child = start('control plane', app('main.js'), [], this.#env, this.#within)
    this.#child = child
    await until(
      'the control plane to be ready',
      async () => {
        if (child.process.exitCode !== null) return 'ended'
        return (await fetch(`${this.origin}/readyz`)).ok
      },
      60_000,
    )
    if (child.process.exitCode !== null)
      throw new Error(`The control plane ended while starting:\n${child.output.join('\n')}`)
  }

  /** Runs the `weir` command against this control plane's database. */
  async weir(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [app('cli/main.js'), ...args], {
      env: { ...process.env, ...this.#env },
    })
    return stdout.trim()
  }

  kill(): Promise<void> {
    return this.#child?.stop('SIGKILL') ?? Promise.resolve()
  }

  stop(): Promise<void> {
    return this.#child?.stop('SIGTERM', 15_000) ?? Promise.resolve()
  }
}
