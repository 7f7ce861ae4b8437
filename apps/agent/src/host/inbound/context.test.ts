import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOTHING_SAID, readInbound, readSealed } from './context.ts'

describe('what a trusted caller says', () => {
  it.each([
    [{ 'weir-deadline-ms': '250' }, 250],
    [{ 'weir-deadline-ms': '0' }, 0],
    [{ 'grpc-timeout': '2S' }, 2_000],
    [{ 'grpc-timeout': '1H' }, 3_600_000],
    [{ 'grpc-timeout': '500m' }, 500],
    [{ 'grpc-timeout': '1500u' }, 1.5],
    [{ 'connect-timeout-ms': '40' }, 40],
    [{ 'x-envoy-expected-rq-timeout-ms': '15000' }, 15_000],
    [{ 'weir-deadline-ms': '900', 'grpc-timeout': '1S', 'x-envoy-expected-rq-timeout-ms': '700' }, 700],
    [{ 'weir-deadline-ms': '-5' }, undefined],
    [{ 'weir-deadline-ms': '1e3' }, undefined],
    [{ 'weir-deadline-ms': '99999999999' }, undefined],
    [{ 'grpc-timeout': '123456789m' }, undefined],
    [{ 'grpc-timeout': '5' }, undefined],
    [{}, undefined],
  ])('reads the deadline of %j as %s: the shortest wins, nonsense is nothing', (headers, deadlineMs) => {
    expect(readInbound(headers).deadlineMs).toBe(deadlineMs)
  })

  it.each([
    [{ 'weir-criticality': 'critical' }, 'critical'],
    [{ baggage: 'a=b, weir.criticality=sheddable ;p=1' }, 'sheddable'],
    [{ 'weir-criticality': 'critical-plus', baggage: 'weir.criticality=sheddable-plus' }, 'sheddable-plus'],
    [{ 'weir-criticality': 'most-important' }, undefined],
    [{ baggage: 'criticality=critical' }, undefined],
  ])('reads the class of %j as %s: the lower wins', (headers, criticality) => {
    expect(readInbound(headers).criticality).toBe(criticality)
  })

  it.each([
    [{ 'weir-tenant': 'acme' }, 'acme'],
    [{ 'weir-tenant': 'caf%C3%A9%20one' }, 'café one'],
    [{ baggage: 'weir.tenant=acme%2C%20inc' }, 'acme, inc'],
    [{ 'weir-tenant': '%E0%A4%A' }, undefined],
    [{ 'weir-tenant': 'x'.repeat(129) }, undefined],
    [{ 'weir-tenant': '' }, undefined],
  ])('reads the tenant of %j as %s', (headers, tenant) => {
    expect(readInbound(headers).tenant).toBe(tenant)
  })

  it.each([
    [{ 'weir-attempt': '3' }, 3],
    [{ 'x-envoy-attempt-count': '2' }, 2],
    [{ 'grpc-previous-rpc-attempts': '2' }, 3],
    [{ 'weir-attempt': '2', 'x-envoy-attempt-count': '4' }, 4],
    [{ 'weir-attempt': '0' }, 1],
    [{ 'weir-attempt': 'many' }, 1],
    [{ 'weir-attempt': '9999999' }, 1_000],
  ])('reads the attempt of %j as %s', (headers, attempt) => {
    expect(readInbound(headers).attempt).toBe(attempt)
  })

  it('takes anything for a header and never throws', () => {
    const names = ['weir-deadline-ms', 'grpc-timeout', 'weir-criticality', 'weir-tenant', 'weir-attempt', 'baggage']
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.array(fc.string()))), (headers) => {
        const said = readInbound(headers)
        expect(said.attempt).toBeGreaterThanOrEqual(1)
        expect(said.deadlineMs ?? 0).toBeGreaterThanOrEqual(0)
      }),
    )
    expect(readInbound({})).toEqual(NOTHING_SAID)
  })
})

describe('what only a seal vouches for', () => {
  it.each([
    [{ 'weir-deadline-ms': '250', 'connect-timeout-ms': '40' }, { deadlineMs: 40 }],
    [{ 'weir-deadline-ms': '250', 'connect-timeout-ms': '4000' }, { deadlineMs: 250 }],
    [{ 'connect-timeout-ms': '4000' }, { deadlineMs: undefined }],
    [{ 'weir-criticality': 'critical', baggage: 'weir.criticality=sheddable' }, { criticality: 'sheddable' }],
    [{ 'weir-criticality': 'critical', baggage: 'weir.criticality=critical-plus' }, { criticality: 'critical' }],
    [{ baggage: 'weir.criticality=critical-plus' }, { criticality: undefined }],
    [{ 'weir-tenant': 'acme', baggage: 'weir.tenant=zeta' }, { tenant: 'acme' }],
    [{ baggage: 'weir.tenant=zeta' }, { tenant: undefined }],
    [{ 'weir-attempt': '1', 'x-envoy-attempt-count': '7' }, { attempt: 1 }],
  ])('of %j is read as %j', (headers, said) => {
    expect(readSealed(headers)).toMatchObject(said)
  })
})
