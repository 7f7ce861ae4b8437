import { tenantFromHeader } from '@weir/wire/model'
import { describe, expect, it } from 'vitest'
import { runInContext } from '../core/context.ts'
import { WeirRefusal, WeirTimeout } from './refusal.ts'
import { contextOf, rig } from './rig.testkit.ts'

const inbound = contextOf({ deadlineAt: 1_250.7, criticality: 'critical', tenant: 'açme, inc', attempt: 2 })

describe('the context on the way out', () => {
  it('leaves towards an internal dependency, the attempt added to that of the layer above', async () => {
    const { dependency } = rig({ internal: true })
    const headers = await runInContext(inbound, () => dependency.call((attempt) => attempt.headers))
    expect(headers).toEqual({
      'weir-attempt': '2',
      'weir-deadline-ms': '250',
      'weir-criticality': 'critical',
      'weir-tenant': 'a%C3%A7me,%20inc',
      baggage: 'weir.criticality=critical,weir.tenant=a%C3%A7me%2C%20inc',
    })
    expect(tenantFromHeader(headers['weir-tenant'] ?? '')).toBe('açme, inc')
  })

  it('never leaves towards any other, whatever the mode', async () => {
    for (const mode of ['enforce', 'observe', 'off'] as const) {
      const { dependency } = rig({ mode })
      expect(await runInContext(inbound, () => dependency.call((attempt) => attempt.headers))).toEqual({})
    }
  })

  it('an observed call is not cut off, yet its callee is told the true deadline', async () => {
    const { dependency } = rig({ internal: true, mode: 'observe' })
    const seen = await runInContext(inbound, () =>
      dependency.call((attempt) => [attempt.headers['weir-deadline-ms'], attempt.remainingMs]),
    )
    expect(seen).toEqual(['250', expect.closeTo(250.7)])
  })

  it('survives a tenant that is no well-formed text', async () => {
    const { dependency } = rig({ internal: true })
    const headers = await runInContext(contextOf({ tenant: '\ud800%' }), () =>
      dependency.call((attempt) => attempt.headers),
    )
    expect(headers['weir-tenant']).toBe('%EF%BF%BD%25')
    expect(tenantFromHeader('%zz')).toBeNull()
  })
})

describe('the errors', () => {
  it('are Errors in all that a host looks at, without the cost of a stack', () => {
    const refusal = new WeirRefusal('payments', 'breaker-open', 400, 7)
    expect(refusal).toBeInstanceOf(Error)
    expect(refusal).toBeInstanceOf(WeirRefusal)
    expect(refusal).toMatchObject({
      name: 'WeirRefusal',
      reason: 'breaker-open',
      signal: 'later',
      retryAfterMs: 400,
      revision: 7,
    })
    expect(String(refusal)).toBe('WeirRefusal: payments: The breaker is open')
    expect(refusal.stack).toBe('WeirRefusal: payments: The breaker is open')
    expect(new WeirTimeout('payments', 12.4)).toBeInstanceOf(Error)
    expect(() => Object.assign(refusal, { statusCode: 503 })).not.toThrow()
  })
})
