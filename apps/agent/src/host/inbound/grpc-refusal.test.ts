import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../admission/work.ts'
import { parseGrpcPushback } from '../../outbound/pushback.ts'
import { grpcRefusal } from './grpc-refusal.ts'

const refusal = (changes: Partial<Refusal>): Refusal => ({
  accepted: false,
  gate: 'grpc',
  reason: 'limit-reached',
  signal: 'elsewhere',
  retryAfterMs: 1_000,
  revision: 7,
  ...changes,
})

describe('a refusal as gRPC', () => {
  it.each([
    [{}, 14],
    [{ reason: 'tenant-rate', signal: 'later' }, 8],
    [{ reason: 'unknown-tenant', signal: 'stop' }, 8],
    [{ reason: 'expired-on-arrival', signal: 'stop' }, 14],
  ] as const)('has for %j the code %i', (changes, code) => {
    expect(grpcRefusal(refusal(changes), false).code).toBe(code)
  })

  it.each([
    [{ retryAfterMs: 1_000.2 }, '1001', { kind: 'wait', ms: 1_001 }],
    [{ retryAfterMs: 0 }, '0', { kind: 'wait', ms: 0 }],
    [{ retryAfterMs: 1e12 }, '2147483647', { kind: 'wait', ms: 2_147_483_647 }],
    [{ signal: 'stop' }, '-1', { kind: 'stop' }],
  ] as const)('says of %j the pushback %s, which our own client reads as meant', (changes, text, read) => {
    const pushback = grpcRefusal(refusal(changes), false).metadata['grpc-retry-pushback-ms']
    expect(pushback).toBe(text)
    expect(parseGrpcPushback(pushback)).toEqual(read)
  })

  it('tells the revision to trusted peers only', () => {
    expect(grpcRefusal(refusal({}), true).metadata['weir-revision']).toBe('7')
    expect(grpcRefusal(refusal({}), false).metadata['weir-revision']).toBeUndefined()
  })
})
