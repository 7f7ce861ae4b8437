import { describe, expect, test } from 'vitest'
import { crossSite, crossSiteSignIn, crossSiteUpgrade, type Provenance } from './same-origin.ts'

const own = 'http://127.0.0.1:7400'
const post: Provenance = { method: 'POST', origin: own, fetchSite: undefined, csrfHeader: '1', ownOrigins: [own] }

describe('a write with the session’s cookie', () => {
  test('passes from our own origin with the header', () => {
    expect(crossSite(post)).toBeNull()
    expect(crossSite({ ...post, origin: undefined, fetchSite: 'same-origin' })).toBeNull()
    expect(crossSite({ ...post, origin: 'null', fetchSite: 'same-origin' })).toBeNull()
  })

  test.each([
    ['another site', 'https://evil.example'],
    ['another port of the same host', 'http://127.0.0.1:7401'],
    ['another scheme', 'https://127.0.0.1:7400'],
    ['a name that begins alike', 'http://127.0.0.1:7400.evil.example'],
    ['a sandboxed page', 'null'],
  ])('is refused from %s', (_, origin) => {
    expect(crossSite({ ...post, origin })).toBe('foreign-origin')
  })

  test('is refused when the browser says same-site or cross-site', () => {
    for (const fetchSite of ['same-site', 'cross-site', 'none'])
      expect(crossSite({ ...post, origin: undefined, fetchSite })).toBe('foreign-origin')
  })

  test('is refused when nothing says where it comes from, or without the header', () => {
    expect(crossSite({ ...post, origin: undefined })).toBe('no-origin')
    expect(crossSite({ ...post, csrfHeader: undefined })).toBe('no-x-weir-csrf')
  })

  test('a read is not judged', () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      expect(crossSite({ ...post, method, origin: 'https://evil.example', csrfHeader: undefined })).toBeNull()
  })
})

test('a sign-in passes without a word of origin, never with a foreign one', () => {
  expect(crossSiteSignIn({ ...post, origin: undefined })).toBeNull()
  expect(crossSiteSignIn(post)).toBeNull()
  expect(crossSiteSignIn({ ...post, origin: 'https://evil.example' })).toBe('foreign-origin')
  expect(crossSiteSignIn({ ...post, origin: undefined, fetchSite: 'cross-site' })).toBe('foreign-origin')
})

test('a socket’s upgrade needs our own Origin, whatever else is said', () => {
  expect(crossSiteUpgrade({ origin: own, ownOrigins: [own] })).toBeNull()
  expect(crossSiteUpgrade({ origin: undefined, ownOrigins: [own] })).toBe('no-origin')
  expect(crossSiteUpgrade({ origin: 'https://evil.example', ownOrigins: [own] })).toBe('foreign-origin')
})
