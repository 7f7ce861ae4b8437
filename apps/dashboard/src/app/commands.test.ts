import { describe, expect, it } from 'vitest'
import { commandsFor, type Known } from './commands.ts'

const known: Known = {
  environment: 'prod eu',
  service: 'orders',
  services: [
    { name: 'orders', verdict: 'collapse' },
    { name: 'payments', verdict: 'healthy' },
  ],
  gates: ['orders/checkout', 'payments/charge', 'other'],
  dependencies: ['orders/payments'],
  tenants: ['acme'],
  admin: false,
}
const found = (text: string, more: Partial<Known> = {}) =>
  commandsFor({ ...known, ...more }, text).map(({ group, to, id }) => `${group}: ${to ?? id}`)

describe('the command bar', () => {
  it('finds services, gates and dependencies by any words, also by how they stand', () => {
    expect(found('checkout')).toEqual(['Gates: /e/prod%20eu/s/orders/gates/checkout'])
    expect(found('collapse')).toEqual(['Services: /e/prod%20eu/s/orders'])
    expect(found('paym depend')).toEqual(['Dependencies: /e/prod%20eu/s/orders/dependencies/payments'])
    expect(found('acme')).toEqual(['Tenants: /e/prod%20eu/s/orders/quotas?search=acme'])
  })

  it('offers only the pages that there are', () => {
    expect(found('history')).toEqual(['Pages: /e/prod%20eu/s/orders/history'])
    expect(found('access')).toEqual([])
    expect(found('access', { admin: true })).toEqual(['Pages: /access/keys'])
    expect(found('overview', { environment: undefined })).toEqual([])
  })

  it('lists a few of each group, not all of five hundred', () => {
    const services = Array.from({ length: 500 }, (_, i) => ({ name: `service-${i}`, verdict: 'healthy' as const }))
    expect(found('service-', { services, service: undefined })).toHaveLength(7)
  })
})
