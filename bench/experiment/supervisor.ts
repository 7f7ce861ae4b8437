import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { PARAMETERS } from './parameters.ts'

/** A death of the payment service. Times in milliseconds since the start. */
export interface Death {
  readonly diedAt: number
  readonly backAt: number
  /** As a container runtime reports it: 128 + the signal. */
  readonly code: number
  readonly rssMb: number
}

const PAGE_BYTES = 4_096
const SIGKILL = 9

const rssMb = (pid: number): number => {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / 2 ** 20
  } catch {
    return 0
  }
}

/**
 * Runtime and network of the payment service: starts it, ends it from outside at its memory ceiling as the kernel would, starts it anew. Its address stays
 * the same; what is sent there while it is away gets no answer, and what it had in its hands is reset.
 */
export class Supervisor {
  readonly deaths: Death[] = []
  readonly #args: readonly string[]
  readonly #network: Server
  readonly #nears = new Set<Socket>()
  readonly #startedAt = performance.now()
  #child: ChildProcess | undefined
  #port: number | null = null
  #watch: NodeJS.Timeout | undefined
  #stopped = false

  /** `bufferMb`: what the payment service keeps of each request. */
  constructor(ledger: string, bufferMb: number) {
    this.#args = [ledger, `${bufferMb}`]
    this.#network = createServer((near) => this.#carry(near))
  }

  /** @throws where there is no /proc to read a process's memory from. */
  async start(): Promise<void> {
    if (!existsSync('/proc/self/statm'))
      throw new Error('The memory of the payment service is read from /proc: the experiment needs Linux.')
    this.#network.listen(0, '127.0.0.1')
    await once(this.#network, 'listening')
    await this.#up(0)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#network.address() as AddressInfo).port}`
  }

  /** Milliseconds since the start. */
  get nowMs(): number {
    return performance.now() - this.#startedAt
  }

  /** Milliseconds out of reach between two times since the start. */
  downMs(fromMs: number, toMs: number): number {
    return this.deaths.reduce(
      (sum, { diedAt, backAt }) => sum + Math.max(0, Math.min(toMs, backAt) - Math.max(fromMs, diedAt)),
      0,
    )
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#watch)
    this.#network.close()
    for (const near of this.#nears) near.destroy()
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** Starts the service, and lets callers reach it no sooner than `fromMs`. */
  async #up(fromMs: number): Promise<void> {
    const child = fork(new URL('payment.ts', import.meta.url), this.#args)
    this.#child = child
    const { pid = 0 } = child
    let death: Death | undefined
    const die = (rss: number) => {
      death ??= { diedAt: this.nowMs, backAt: Infinity, code: 0, rssMb: rss }
      this.#port = null
      clearInterval(this.#watch)
    }
    child.once('exit', (code) => {
      die(rssMb(pid))
      if (!this.#stopped && death !== undefined) void this.#again({ ...death, code: code ?? 128 + SIGKILL })
    })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    await sleep(Math.max(0, fromMs - this.nowMs))
    if (this.#stopped || death !== undefined) return
    this.#port = port
    this.#watch = setInterval(() => {
      const rss = rssMb(pid)
      if (rss < PARAMETERS.ceilingMb) return
      die(rss)
      child.kill('SIGKILL')
    }, PARAMETERS.watchMs)
  }

  async #again(death: Death): Promise<void> {
    const place = this.deaths.push(death) - 1
    await this.#up(death.diedAt + PARAMETERS.downMs)
    this.deaths[place] = { ...death, backAt: this.nowMs }
  }

  #carry(near: Socket): void {
    near.on('error', () => undefined)
    this.#nears.add(near)
    near.once('close', () => this.#nears.delete(near))
    if (this.#port === null) {
      near.resume()
      return
    }
    const far = connect(this.#port, '127.0.0.1')
    far.on('error', () => undefined)
    near.pipe(far)
    far.pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.resetAndDestroy())
  }
}
