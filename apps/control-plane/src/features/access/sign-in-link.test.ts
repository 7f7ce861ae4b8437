import { expect, test } from 'vitest'
import { linkRefusal, signInLink } from './sign-in-link.ts'

const now = new Date(1_000_000)
const later = new Date(1_000_001)

test('a link may be used while it is known, unused and in time, the last millisecond included', () => {
  expect(linkRefusal({ expiresAt: later, usedAt: null }, now)).toBeNull()
  expect(linkRefusal({ expiresAt: now, usedAt: null }, now)).toBe('gone')
  expect(linkRefusal({ expiresAt: later, usedAt: now }, now)).toBe('gone')
  expect(linkRefusal(null, now)).toBe('unauthenticated')
})

test('the token is in the fragment', () => {
  expect(new URL(signInLink('https://weir.example', 'weir_l_x')).hash).toBe('#weir_l_x')
})
