import { Readable } from 'node:stream'
import type { Gate } from '../../admission/gate.ts'
import { currentContext } from '../../core/context.ts'
import { door } from '../gate-rig.testkit.ts'
import type { RequestWeir } from '../inbound/options.ts'

/** What the handlers of one host do; the same for every host. */
export class Script {
  /** Where the handlers of `work` and `quiet` wait. */
  readonly work = door()
  /** Where a stream waits between its first and its last word. */
  readonly more = door()
  /** Where a slow probe waits. */
  readonly probes = door()
  runs = 0
  signal: AbortSignal | null | undefined

  async toil(): Promise<string> {
    this.runs++
    this.signal = currentContext()?.signal
    await this.work.promise
    return 'done'
  }

  /** What the handler of `echo` sees. */
  async echo(body: unknown, weir: RequestWeir | null | undefined): Promise<object> {
    await new Promise((resolve) => setImmediate(resolve))
    const context = currentContext()
    return {
      body,
      degraded: weir?.degraded ?? null,
      remainingMs: Math.round(weir?.remainingMs ?? -1),
      criticality: context?.criticality ?? null,
      tenant: context?.tenant ?? null,
      attempt: context?.attempt ?? null,
      traceparent: context?.traceparent ?? null,
    }
  }

  /** As if layers below had retried for it. */
  retried(): string {
    const context = currentContext()
    if (context) context.retried = 3
    return 'done'
  }

  throws(): never {
    throw new Error('a bug')
  }

  async health(slow: boolean): Promise<string> {
    if (slow) await this.probes.promise
    return 'well'
  }

  async *words(): AsyncGenerator<string> {
    yield 'first'
    await this.more.promise
    yield 'last'
  }

  async *cutWords(): AsyncGenerator<string> {
    yield 'first'
    await this.more.promise
    throw new Error('its source failed')
  }

  stream(words: AsyncGenerator<string>): Readable {
    return Readable.from(words, { objectMode: false })
  }

  /** Enters the gate that the request holds already. */
  nested(gate: Gate): Promise<string> {
    return gate.run({}, () => String(gate.report().active))
  }
}
