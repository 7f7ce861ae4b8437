import { randomBytes } from 'node:crypto'
import type { CreatedKey } from '@weir/api'
import { ENVIRONMENT, POLICIES, type ServiceName } from '../shape.ts'
import { type Child, listening, start } from './child.ts'
import type { ControlPlane } from './control-plane.ts'
import { LoadGenerator } from './load-generator.ts'
import type { Rest } from './rest.ts'

/** Creates the environment, the services and their policies; finds them when they are there already. Answers with a key per service. */
export const prepare = async (rest: Rest): Promise<Record<ServiceName, string>> => {
  await rest.call('POST', '/environments', { body: { name: ENVIRONMENT }, allow: [409] })
  const keys: [ServiceName, string][] = []
  for (const service of Object.keys(POLICIES) as ServiceName[]) {
    await rest.call('POST', `/environments/${ENVIRONMENT}/services`, { body: { name: service }, allow: [409] })
    await rest.publish(ENVIRONMENT, service, POLICIES[service], 'First policy of the demo')
    const key = await rest.call<CreatedKey>('POST', `/environments/${ENVIRONMENT}/keys`, {
      body: { name: 'demo', services: [service] },
    })
    keys.push([service, key.body.secret])
  }
  return Object.fromEntries(keys) as Record<ServiceName, string>
}

/** Two order services, a payment service and a load generator: processes of their own, real HTTP between them. */
export class Fleet {
  readonly load: LoadGenerator
  readonly services: readonly Child[]

  private constructor(services: readonly Child[], load: LoadGenerator) {
    this.services = services
    this.load = load
  }

  static async start(controlPlane: ControlPlane, keys: Record<ServiceName, string>, snapshots: string): Promise<Fleet> {
    const secret = randomBytes(16).toString('hex')
    const service = (name: string, of: ServiceName, args: string[] = []): Child =>
      start(name, new URL(`../${of}.js`, import.meta.url).pathname, args, {
        WEIR_CONTROL_PLANE: controlPlane.webSocket,
        WEIR_KEY: keys[of],
        WEIR_INSTANCE: name,
        WEIR_SNAPSHOTS: snapshots,
        FLEET_SECRET: secret,
      })
    const payments = service('payments-1', 'payments')
    const paymentsUrl = await listening(payments)
    const orders = ['orders-1', 'orders-2'].map((name) => service(name, 'orders', [paymentsUrl]))
    const urls = await Promise.all(orders.map(listening))
    return new Fleet([payments, ...orders], new LoadGenerator(urls))
  }

  async stop(): Promise<void> {
    await this.load.child.stop('SIGKILL')
    await Promise.all(this.services.map((child) => child.stop()))
  }
}
