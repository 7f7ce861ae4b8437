import { describe, expect, it } from 'vitest'
import { readOptions, type WeirOptions } from './options.ts'

const good: WeirOptions = { controlPlane: 'wss://weir.example:8443', key: 'k'.repeat(43) }
const read = (options: WeirOptions, env: Record<string, string> = {}) => readOptions(options, env)

describe('options', () => {
  it('derives the endpoints from the control plane', () => {
    const { settings, problems } = read(good)
    expect(problems).toEqual([])
    expect(settings.link).toEqual({
      socketOrigin: 'wss://weir.example:8443',
      httpOrigin: 'https://weir.example:8443',
      key: good.key,
    })
    expect(settings.otlp).toEqual({ base: 'https://weir.example:8443', key: good.key })
  })

  it('refuses a plain socket beyond loopback unless it is stated', () => {
    expect(read({ ...good, controlPlane: 'ws://weir.example' })).toMatchObject({ settings: { link: null } })
    expect(read({ ...good, controlPlane: 'ws://weir.example' }).problems[0]).toMatch(/readable over the network/)
    expect(read({ ...good, controlPlane: 'ws://weir.example', allowInsecure: true }).settings.link).not.toBeNull()
  })

  it.each(['ws://127.0.0.1:80', 'ws://localhost:80', 'ws://[::1]:80', 'ws://127.9.9.9'])(
    'takes %s as loopback',
    (url) => {
      expect(read({ ...good, controlPlane: url }).settings.link).not.toBeNull()
    },
  )

  it.each(['ws://127.0.0.1.evil.example', 'ws://localhost.evil.example', 'ws://0.0.0.0'])(
    'takes %s for what it is',
    (url) => {
      expect(read({ ...good, controlPlane: url }).settings.link).toBeNull()
    },
  )

  it('never sends the key to an endpoint of another origin', () => {
    expect(read({ ...good, otlpEndpoint: 'https://collector.example/otlp/' }).settings.otlp).toEqual({
      base: 'https://collector.example/otlp',
      key: null,
    })
  })

  it('reads address, key and mode from the environment, where the mode beats everything', () => {
    const env = { WEIR_CONTROL_PLANE: 'ws://localhost:1', WEIR_KEY: 'secret', WEIR_MODE: 'off' }
    const { settings } = read({ mode: 'enforce' }, env)
    expect(settings.link).toMatchObject({ socketOrigin: 'ws://localhost:1', key: 'secret' })
    expect(settings.mode).toBe('off')
  })

  it.each([
    [{ ...good, controlPlane: 'not a url' }, /not a URL/],
    [{ ...good, controlPlane: 'ftp://x' }, /must begin/],
    [{ ...good, key: 'two words' }, /key/],
    [{ ...good, key: 'line\r\nfeed' }, /key/],
    [{ ...good, mode: 'sometimes' as never }, /mode must be one of/],
    [{ ...good, telemetry: 'loud' as never }, /telemetry must be one of/],
    [{ ...good, instance: 'x'.repeat(200) }, /instance/],
    [{ ...good, instance: 'a\nb' }, /instance/],
    [{ ...good, zone: '\ud800' }, /zone/],
    [{ ...good, otlpEndpoint: 'nowhere' }, /otlpEndpoint/],
    [{ ...good, snapshotDir: 5 as never }, /snapshotDir/],
    [{}, /No controlPlane/],
  ])('says what is wrong with %j and goes on', (options, words) => {
    expect(read(options).problems.join(' ')).toMatch(words)
  })

  it('does not repeat the key in what it says', () => {
    expect(JSON.stringify(read({ ...good, key: 'my secret' }).problems)).not.toContain('my secret')
  })

  it('tells tenants by a key, and by one that nobody knows where that is none', () => {
    expect(read(good).settings.tenantKey).toBeNull()
    expect(read(good, { WEIR_TENANT_KEY: 's'.repeat(32) }).settings.tenantKey).toBe('s'.repeat(32))
    const short = read({ ...good, tenantKey: 'short' })
    expect(short.settings.tenantKey).toMatch(/^[0-9a-f]{64}$/)
    expect(short.problems).toEqual([expect.stringContaining('tenantKey must be')])
  })
})
