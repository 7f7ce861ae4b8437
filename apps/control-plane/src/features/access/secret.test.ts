import { expect, test } from 'vitest'
import { API_TOKEN, bearerOf, hashSecret, looksLike, makeSecret } from './secret.ts'

test('a secret is its kind and 256 random bits; what is kept is its SHA-256', () => {
  const made = makeSecret(API_TOKEN, (bytes) => Buffer.alloc(bytes, 7))
  expect(made.secret).toBe(`weir_t_${Buffer.alloc(32, 7).toString('base64url')}`)
  expect(made.hash).toBe(hashSecret(made.secret))
  expect(made.hash).toMatch(/^[0-9a-f]{64}$/)
  expect(made.prefix).toHaveLength(15)
  expect(made.secret.startsWith(made.prefix)).toBe(true)
})

test('no two secrets are alike', () => {
  expect(new Set(Array.from({ length: 100 }, () => makeSecret(API_TOKEN).secret)).size).toBe(100)
})

test('only a text of the right form is worth a look in the database', () => {
  expect(looksLike(API_TOKEN, makeSecret(API_TOKEN).secret)).toBe(true)
  for (const text of [
    '',
    'weir_t_',
    'weir_t_short',
    `weir_a_${'a'.repeat(43)}`,
    `weir_t_${'a'.repeat(44)}`,
    `weir_t_${'a'.repeat(42)} `,
  ])
    expect(looksLike(API_TOKEN, text)).toBe(false)
})

test('a bearer credential is read strictly', () => {
  expect(bearerOf('Bearer abc')).toBe('abc')
  expect(bearerOf('bearer abc')).toBe('abc')
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', `Bearer ${'a'.repeat(257)}`])
    expect(bearerOf(header)).toBeNull()
})
