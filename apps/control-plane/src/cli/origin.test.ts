import { expect, test } from 'vitest'
import { originFor } from './origin.ts'

const config = { publicUrl: null, host: '127.0.0.1', port: 7400, tls: null }

test('the origin is the given one, else that of PUBLIC_URL, else the listening address', () => {
  const publicUrl = 'https://weir.example/some/page'
  expect(originFor('http://other.test', { ...config, publicUrl })).toBe('http://other.test')
  expect(originFor('http://other.test', config)).toBe('http://other.test')
  expect(originFor(null, config)).toBe('http://127.0.0.1:7400')
})

test('a listening address is made one that a browser can open', () => {
  const at = (host: string) => originFor(null, { ...config, host })
  expect(at('::1')).toBe('http://[::1]:7400')
  expect(at('0.0.0.0')).toBe('http://localhost:7400')
  const tls = { certFile: 'cert.pem', keyFile: 'key.pem' }
  expect(originFor(null, { ...config, tls })).toBe('https://127.0.0.1:7400')
})

test('without a port there is no address to give', () => {
  expect(() => originFor(null, { ...config, port: 0 })).toThrow('--origin')
  expect(originFor('http://other.test', { ...config, port: 0 })).toBe('http://other.test')
})
