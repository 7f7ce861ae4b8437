import { describe, expect, it } from 'vitest'
import cases from '../../../../spec/pushback.json' with { type: 'json' }
import { classifyHttp, headOf } from './http.ts'
import { parseGrpcPushback, parseRetryAfter } from './pushback.ts'

describe('the word of the callee, from spec/pushback.json', () => {
  it.each(cases.retryAfter)('B-67 O-23 Retry-After "$text" is $kind', ({ text, date, wall, kind, ms }) => {
    const wallNow = () => Date.parse(wall ?? 'Mon, 30 Nov 2026 07:00:00 GMT')
    expect(parseRetryAfter(text, date, wallNow)).toEqual(ms === undefined ? { kind } : { kind, ms })
  })

  it.each(cases.grpc)('O-22 grpc-retry-pushback-ms "$text" is $kind', ({ text, kind, ms }) => {
    expect(parseGrpcPushback(text)).toEqual(ms === undefined ? { kind } : { kind, ms })
  })

  it.each(cases.http)('$status with $headers is $kind', (row) => {
    const headers = new Headers((row.headers ?? {}) as Record<string, string>)
    const verdict = classifyHttp({ status: row.status, header: (name) => headers.get(name) }, true)
    expect(verdict.kind).toBe(row.kind)
    expect(verdict.retryable).toBe(row.retryable ?? false)
    expect(verdict.signal).toBe(row.signal ?? null)
    expect(verdict.waitMs).toBe(row.waitMs ?? null)
    expect(verdict.retried).toBe(row.retried ?? 0)
  })

  it('a stranger is not believed: neither its stop nor the retries that it names keep anybody from retrying', () => {
    const said: Record<string, string> = { 'weir-signal': 'stop', 'weir-retried': '3', 'retry-after': '2' }
    const answer = (status: number) => classifyHttp({ status, header: (name) => said[name] }, false)
    expect(answer(503)).toMatchObject({ kind: 'failure', signal: null, retried: 0, retryable: true, waitMs: 2_000 })
    expect(answer(429)).toMatchObject({ kind: 'refused', signal: 'later', retried: 0, retryable: true })
    expect(answer(400).kind).toBe('neutral')
  })

  it('knows a Response by its shape and nothing else by it', () => {
    expect(headOf(new Response(null, { status: 204 }))?.status).toBe(204)
    for (const other of [null, undefined, 'x', 204, {}, { status: 200 }, { status: 200, headers: {} }])
      expect(headOf(other)).toBeNull()
  })
})
