import { expect, test } from 'vitest'
import { isLoopback, readConfig, StartRefused } from './config.ts'

const refusal = (environment: Record<string, string>): string => {
  try {
    readConfig(environment, '/srv/weir')
  } catch (error) {
    if (error instanceof StartRefused) return error.message
  }
  return ''
}

test('without any setting it is a loopback server over its own PostgreSQL', () => {
  expect(readConfig({}, '/srv/weir')).toMatchObject({
    port: 7400,
    host: '127.0.0.1',
    databaseUrl: null,
    dataFolder: '/srv/weir/.weir',
    trustedProxies: [],
    tls: null,
    otlpEndpoint: null,
  })
})

test('an empty value counts as not given', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' }, '/srv')).toMatchObject({ port: 7400, databaseUrl: null })
})

test('0 is a value: any free port', () => {
  expect(readConfig({ PORT: '0' }, '/srv').port).toBe(0)
})

test('all wrong settings are named in one line', () => {
  const message = refusal({ PORT: '70000', DATABASE_URL: 'mysql://x/y', LOG_LEVEL: 'loud' })
  expect(message).toMatch(/PORT.*DATABASE_URL.*LOG_LEVEL/)
  expect(message).not.toContain('\n')
})

test('a port that is no number is said in plain words', () => {
  expect(refusal({ PORT: 'eighty' })).toBe('PORT: A port is a whole number from 0 to 65535.')
})

test('binding beyond loopback needs TLS or a named proxy', () => {
  expect(refusal({ HOST: '0.0.0.0' })).toContain('TRUSTED_PROXIES')
  expect(readConfig({ HOST: '0.0.0.0', TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.5' }, '/srv').trustedProxies).toEqual([
    '10.0.0.0/8',
    '192.168.1.5',
  ])
  expect(readConfig({ HOST: '::', TLS_CERT: 'a.pem', TLS_KEY: 'b.pem' }, '/srv').tls?.certFile).toBe('/srv/a.pem')
  expect(refusal({ TLS_CERT: 'a.pem' })).toContain('TLS_KEY')
})

test('loopback is known in all its spellings, and nothing else is', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
    expect([host, isLoopback(host)]).toEqual([host, true])
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com', 'localhost.example'])
    expect([host, isLoopback(host)]).toEqual([host, false])
})

test('private targets are addresses and ranges, and mail needs a server and a sender', () => {
  expect(readConfig({ WEIR_PRIVATE_TARGETS: '10.0.0.0/8, ::1' }, '/srv').privateTargets).toEqual([
    { address: '10.0.0.0', prefix: 8 },
    { address: '::1', prefix: 128 },
  ])
  expect(refusal({ WEIR_PRIVATE_TARGETS: 'inside.example' })).toContain('inside.example is no address')
  expect(refusal({ SMTP_URL: 'smtps://mail.example' })).toContain('SMTP_FROM')
  expect(refusal({ SMTP_URL: 'https://mail.example', SMTP_FROM: 'a@b.example' })).toContain('SMTP_URL')
  expect(readConfig({}, '/srv')).toMatchObject({ privateTargets: [], mail: null })
})
