/** The fleet of the demo: who is in it, what it can do, and the policies that keep it standing. */

export const ENVIRONMENT = 'demo'

/** The payment service's connection pool: 6 connections x 50 ms a payment = 120 payments a second, and not one more. */
export const POOL_CONNECTIONS = 6
export const PAYMENT_MS = 50
export const CAPACITY_PER_SECOND = (POOL_CONNECTIONS * 1_000) / PAYMENT_MS

/** Who sends orders, and their shares of the load. */
export const TENANTS = { acme: 0.5, umbrella: 0.3, initech: 0.2 } as const
export type Tenant = keyof typeof TENANTS

export const CLASS_SHARES = { critical: 0.2, 'sheddable-plus': 0.6, sheddable: 0.2 } as const

/** How long a shopper waits. */
export const PATIENCE_MS = 1_000

export const POLICIES = {
  orders: `# Two processes of this service run: limits are per process.
gates:
  checkout:
    edge: true
    concurrency: 10
    queue: { maxWaitMs: 300 }
    deadline: { defaultMs: ${PATIENCE_MS} }
dependencies:
  payments:
    internal: true
    ceiling: 20
    timeoutMs: 900
`,
  payments: `# Two more than there are connections, so that a connection never waits for a request to be read or an answer to be sent.
gates:
  charge:
    concurrency: ${POOL_CONNECTIONS + 2}
    queue: { maxWaitMs: 300 }
`,
} as const
export type ServiceName = keyof typeof POLICIES

/** The limit that the check publishes: what acme may do from then on, fleet-wide. */
export const SMALLER_QUOTA = { resource: 'checkout', tenant: 'acme', ratePerSecond: 25 } as const
