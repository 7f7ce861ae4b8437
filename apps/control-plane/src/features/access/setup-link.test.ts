import { expect, test } from 'vitest'
import { makeSetupToken, SETUP_VALID_MS, setupLink, setupRefusal } from './setup-link.ts'

const made = new Date('2026-01-01T00:00:00Z')
const fresh = { expiresAt: new Date(made.getTime() + SETUP_VALID_MS), usedAt: null }
const after = (ms: number) => new Date(made.getTime() + ms)

test('the link carries its token in the fragment', () => {
  expect(setupLink('http://127.0.0.1:7400', 'weir_s_x')).toBe('http://127.0.0.1:7400/setup#weir_s_x')
  expect(setupLink('https://weir.example/', 'weir_s_x')).toBe('https://weir.example/setup#weir_s_x')
  expect(makeSetupToken().secret).toMatch(/^weir_s_/)
})

test('a set-up token works for an hour, to the millisecond', () => {
  expect(setupRefusal({ operators: 0, token: fresh }, made)).toBeNull()
  expect(setupRefusal({ operators: 0, token: fresh }, after(SETUP_VALID_MS - 1))).toBeNull()
  expect(setupRefusal({ operators: 0, token: fresh }, after(SETUP_VALID_MS))).toBe('expired')
})

test('a token works once, and an unknown one never', () => {
  expect(setupRefusal({ operators: 0, token: { ...fresh, usedAt: made } }, made)).toBe('unknown')
  expect(setupRefusal({ operators: 0, token: null }, made)).toBe('unknown')
})

test('with an operator there is no set-up, whatever the token', () => {
  expect(setupRefusal({ operators: 1, token: fresh }, made)).toBe('done')
  expect(setupRefusal({ operators: 1, token: null }, made)).toBe('done')
})
