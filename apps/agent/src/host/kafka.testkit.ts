import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { KCAT, pathOf } from '../../../../tools/system-packages.ts'

/** One broker in memory that speaks Kafka's protocol: the mock cluster of librdkafka, in a process of `kcat` that waits for input. */
export class TestKafka {
  readonly address: string
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, address: string) {
    this.#process = process
    this.address = address
  }

  static async start(): Promise<TestKafka> {
    const kcat = pathOf(KCAT)
    if (kcat === undefined) throw new Error('There is no kcat: install kcat.')
    const args = ['-P', '-b', 'none', '-t', 'none', '-X', 'test.mock.num.brokers=1', '-d', 'mock']
    const child = spawn(kcat, args, { stdio: ['pipe', 'ignore', 'pipe'] })
    for await (const line of createInterface({ input: child.stderr })) {
      const [, address] = /bootstrap\.servers=(127\.0\.0\.1:\d+)/.exec(line) ?? []
      if (address === undefined) continue
      child.stderr.resume()
      return new TestKafka(child, address)
    }
    throw new Error('kcat did not start a mock cluster.')
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await gone
  }
}
