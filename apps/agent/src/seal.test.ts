import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { weirHttp } from './host/http.ts'
import { currentContext, runInContext, Weir, type WorkContext } from './index.ts'
import { readOptions } from './options.ts'
import { Seal } from './seal.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

const KEY = 'k'.repeat(32)
const OTHER = 'o'.repeat(32)
const CONTEXT = {
  'weir-deadline-ms': '250',
  'weir-criticality': 'critical-plus',
  'weir-tenant': 'acme',
  'weir-attempt': '2',
}
const NOW = 1_700_000_000_000

const sealed = (keys = [KEY], nowMs = NOW): Record<string, string> => {
  const headers = { ...CONTEXT }
  new Seal(
    keys,
    () => 'orders',
    () => nowMs,
  ).put(headers)
  return headers
}
const by = (headers: Record<string, string>, keys = [KEY]) =>
  new Seal(
    keys,
    () => 'payments',
    () => NOW,
  ).by(headers)

describe('the seal over context headers', () => {
  it('says which service of the environment sealed them', () => {
    expect(by(sealed())).toBe('orders')
    expect(sealed()['weir-seal']).toMatch(/^1;1700000000;orders;[\w-]{43}$/)
  })

  it.each([
    ['another key', sealed([OTHER])],
    ['another deadline', { ...sealed(), 'weir-deadline-ms': '2500' }],
    ['another class', { ...sealed(), 'weir-criticality': 'critical' }],
    ['another tenant', { ...sealed(), 'weir-tenant': 'zeta' }],
    ['another attempt', { ...sealed(), 'weir-attempt': '1' }],
    ['another service', { ...sealed(), 'weir-seal': sealed()['weir-seal']?.replace('orders', 'admin') ?? '' }],
    ['another time', { ...sealed(), 'weir-seal': sealed()['weir-seal']?.replace('1700000000', '1700000001') ?? '' }],
    ['a seal of long ago', sealed([KEY], NOW - 301_000)],
    ['a seal of the future', sealed([KEY], NOW + 301_000)],
    ['no seal', CONTEXT],
    ['a seal that is none', { ...CONTEXT, 'weir-seal': `1;1700000000;orders;${'A'.repeat(43)}` }],
    ['rubbish', { ...CONTEXT, 'weir-seal': '1;;;' }],
    ['10 kB', { ...CONTEXT, 'weir-seal': 'x'.repeat(10_240) }],
  ])('does not hold over %s', (_what, headers) => {
    expect(by(headers)).toBeNull()
  })

  it('holds a few minutes, and over a key that is being changed', () => {
    expect([by(sealed([KEY], NOW - 299_000)), by(sealed([KEY], NOW + 299_000))]).toEqual(['orders', 'orders'])
    expect([by(sealed([KEY]), [OTHER, KEY]), by(sealed([OTHER, KEY]), [OTHER])]).toEqual(['orders', 'orders'])
    expect(by(sealed([OTHER, KEY]), [KEY])).toBeNull()
  })

  it.each(['Orders', '支付', 'a b', 'x;y', 'x'.repeat(129)])(
    'of the service %j holds, and leaves it unnamed',
    (service) => {
      const headers: Record<string, string> = { ...CONTEXT }
      new Seal(
        [KEY],
        () => service,
        () => NOW,
      ).put(headers)
      expect(by(headers)).toBe('')
      expect(() => new Headers(headers)).not.toThrow()
    },
  )

  it('without a key nothing is sealed and nobody believed', () => {
    expect(sealed([])).toEqual(CONTEXT)
    expect(by(sealed(), [])).toBeNull()
  })
})

describe('the option contextKey', () => {
  const read = (contextKey: unknown, env = {}) => readOptions({ contextKey } as object, env)

  it('is one to four secrets, by default of the environment', () => {
    expect(read(KEY).settings.contextKeys).toEqual([KEY])
    expect(read(`${KEY},${OTHER}`).settings.contextKeys).toEqual([KEY, OTHER])
    expect(read(undefined, { WEIR_CONTEXT_KEY: OTHER }).settings.contextKeys).toEqual([OTHER])
    expect(read(undefined).settings.contextKeys).toEqual([])
  })

  it.each(['short', `${KEY},`, 'ü'.repeat(40), 'x'.repeat(513), 7, Array(5).fill(KEY).join(',')])(
    'believes nobody by %j, and says so without telling it',
    (given) => {
      const { settings, problems } = read(given)
      expect(settings.contextKeys).toEqual([])
      expect(problems.join()).toContain('contextKey must be')
      expect(problems.join()).not.toContain(String(given))
    },
  )
})

describe('between two processes', () => {
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  const bootstrapFile = new URL('seal.testkit.yaml', import.meta.url).pathname
  const agent = async (service: string, contextKey?: string): Promise<Weir> => {
    const weir = await Weir.start({
      service,
      bootstrapFile,
      snapshotDir: false,
      telemetry: 'off',
      ...(contextKey ? { contextKey } : {}),
    })
    ends.push(() => weir.close())
    return weir
  }

  /** A service that answers what it believes of its caller's context. */
  const callee = async (contextKey?: string): Promise<string> => {
    const weir = await agent('payments', contextKey)
    const server = createServer(
      weirHttp(weir, { gate: 'pay' }, (_request, response) => {
        const { criticality, tenant, attempt } = currentContext() ?? {}
        response.end(JSON.stringify([criticality, tenant, attempt]))
      }),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(() => server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const context: WorkContext = {
    deadlineAt: Infinity,
    criticality: 'critical-plus',
    tenant: 'acme',
    attempt: 2,
    signal: null,
    retried: 0,
  }
  const STRANGER = ['sheddable-plus', null, 1]

  const calls = async (caller: Weir, url: string, change: Record<string, string | null> = {}, name = 'payments') => {
    const answer = await runInContext(context, () =>
      caller.dependency(name).call(({ headers }) => {
        const sent = new Headers(headers)
        for (const [header, value] of Object.entries(change))
          value === null ? sent.delete(header) : sent.set(header, value)
        return fetch(url, { headers: sent })
      }),
    )
    return answer.json()
  }

  it('of one environment the context is believed, above the highest class of strangers too', async () => {
    expect(await calls(await agent('orders', KEY), await callee(KEY))).toEqual(['critical-plus', 'acme', 2])
  })

  it('of two, or without a key on either side, it is nobody’s', async () => {
    expect(await calls(await agent('orders', OTHER), await callee(KEY))).toEqual(STRANGER)
    expect(await calls(await agent('orders'), await callee(KEY))).toEqual(STRANGER)
    expect(await calls(await agent('orders', KEY), await callee())).toEqual(STRANGER)
  })

  it('leaves towards internal dependencies only', async () => {
    const sent = await (await agent('orders', KEY)).dependency('partner').call(({ headers }) => headers)
    expect(sent).toEqual({})
  })

  it('what is not sealed may lower the class, and neither raise it, name a tenant, nor count attempts', async () => {
    const orders = await agent('orders', KEY)
    const url = await callee(KEY)
    const baggage = 'weir.criticality=sheddable,weir.tenant=zeta'
    expect(await calls(orders, url, { baggage, 'x-envoy-attempt-count': '9' })).toEqual(['sheddable', 'acme', 2])
    const plain = { ...context, criticality: null, tenant: null }
    const answer = await runInContext(plain, () =>
      orders
        .dependency('payments')
        .call(({ headers }) =>
          fetch(url, { headers: { ...headers, baggage: 'weir.criticality=critical-plus,weir.tenant=zeta' } }),
        ),
    )
    expect(await answer.json()).toEqual(['sheddable-plus', null, 2])
  })
})
