import type { Sampler } from '../../core/sampling.ts'
import { GateRig, until } from '../gate-rig.testkit.ts'
import { GrpcTestClient } from './grpc-client.testkit.ts'
import type { Call, Client, HostKind, Options, Served } from './host.testkit.ts'
import { HttpTestClient } from './http-client.testkit.ts'
import { Script } from './script.testkit.ts'

/** One slot and no queue. */
export const FULL = { concurrency: 1, queue: { maxItems: 0 } }

/** One host on a real port, a gate behind it and a client before it. */
export class Stage {
  readonly rig: GateRig
  readonly script: Script
  readonly client: Client
  readonly #served: Served

  private constructor(rig: GateRig, script: Script, served: Served, client: Client) {
    this.rig = rig
    this.script = script
    this.#served = served
    this.client = client
  }

  static async of(
    host: HostKind,
    policy: object = {},
    options: Options = {},
    tenants: ConstructorParameters<typeof GateRig>[1] = {},
    sampler?: Sampler,
  ): Promise<Stage> {
    const rig = new GateRig(policy, tenants, sampler)
    const script = new Script()
    const served = await host.serve(rig.gate, options, script)
    const client = host.transport === 'grpc' ? new GrpcTestClient(served.port) : new HttpTestClient(served.port)
    return new Stage(rig, script, served, client)
  }

  get port(): number {
    return this.#served.port
  }

  /** Takes the only slot. */
  async occupy(): Promise<Call> {
    const running = this.client.call('work')
    await until(() => this.script.runs === 1)
    return running
  }

  /** What a handler sees of its work. */
  async echo(context: Record<string, string> = {}) {
    return JSON.parse((await this.client.call('echo', { context, body: { n: 1 } }).answer).body)
  }

  async stop(): Promise<void> {
    for (const { open } of [this.script.work, this.script.more, this.script.probes]) open()
    this.client.close()
    await this.#served.stop()
    this.rig.gate.close()
  }
}

/** Lets what is under way go on for a while. */
export const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}
