import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { CreatedKey } from '@weir/api'
import type { PolicyDocument } from '@weir/policy'
import { ControlPlane, freePort } from '../../../examples/fleet/src/demo/control-plane.ts'
import { Rest } from '../../../examples/fleet/src/demo/rest.ts'
import type { WeirOf } from './shop.ts'

const ENVIRONMENT = 'overload'

/** A real control plane with a PostgreSQL of its own, as the demo starts it. */
export class Plane {
  readonly process: ControlPlane
  readonly #rest: Rest
  readonly #folder: string

  private constructor(process: ControlPlane, rest: Rest, folder: string) {
    this.process = process
    this.#rest = rest
    this.#folder = folder
  }

  static async start(parent: string): Promise<Plane> {
    const folder = await mkdtemp(join(parent, 'plane-'))
    const process = new ControlPlane(await freePort(), folder, undefined)
    await process.start()
    const token = await process.weir('token', 'create', '--name', 'overload', '--role', 'admin')
    const rest = new Rest(process.origin, token)
    await rest.call('POST', '/environments', { body: { name: ENVIRONMENT }, allow: [409] })
    return new Plane(process, rest, folder)
  }

  /** Publishes each service's policy before it starts, and gives it a key: it is told by the control plane. */
  readonly weirOf: WeirOf = async (service, policy) => {
    await this.#rest.call('POST', `/environments/${ENVIRONMENT}/services`, { body: { name: service }, allow: [409] })
    await this.publish(service, policy)
    const key = await this.#rest.call<CreatedKey>('POST', `/environments/${ENVIRONMENT}/keys`, {
      body: { name: service, services: [service] },
    })
    const snapshotDir = join(this.#folder, `snapshots-${service}`)
    await mkdir(snapshotDir, { recursive: true })
    return { controlPlane: this.process.webSocket, key: key.body.secret, snapshotDir }
  }

  async publish(service: string, policy: PolicyDocument): Promise<void> {
    await this.#rest.publish(ENVIRONMENT, service, JSON.stringify(policy), 'The overload bench')
  }

  /** Waits until so many processes have applied what is intended for them. */
  async allApplied(count: number): Promise<void> {
    const until = performance.now() + 20_000
    while (performance.now() < until) {
      const agents = await this.#rest.agents(ENVIRONMENT)
      if (agents.filter(({ connected, status }) => connected && status === 'applied').length >= count) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`Waited 20 s in vain for ${count} agents to apply their policies.`)
  }
}
