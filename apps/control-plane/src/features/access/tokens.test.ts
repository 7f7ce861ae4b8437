import { expect, test } from 'vitest'
import { type TokenRecord, tokenState, useIsDue } from './tokens.ts'

const token: TokenRecord = { id: '1', name: 'ci', role: 'editor', expiresAt: null, lastUsedAt: null, revokedAt: null }

test('a token lives until it is revoked or its time has come, to the millisecond', () => {
  expect(tokenState(null, 0)).toBe('unknown')
  expect(tokenState(token, 1e15)).toBe('live')
  expect(tokenState({ ...token, revokedAt: new Date(0) }, 0)).toBe('revoked')
  expect(tokenState({ ...token, expiresAt: new Date(1_000) }, 999)).toBe('live')
  expect(tokenState({ ...token, expiresAt: new Date(1_000) }, 1_000)).toBe('expired')
})

test('a use is noted at most once a minute', () => {
  expect(useIsDue(token, 0)).toBe(true)
  expect(useIsDue({ ...token, lastUsedAt: new Date(0) }, 59_999)).toBe(false)
  expect(useIsDue({ ...token, lastUsedAt: new Date(0) }, 60_000)).toBe(true)
})
