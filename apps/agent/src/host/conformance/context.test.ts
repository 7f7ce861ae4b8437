import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Sampler } from '../../core/sampling.ts'
import { SEAL } from './host.testkit.ts'
import { HOSTS } from './hosts.testkit.ts'
import { FULL, Stage } from './stage.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let stage: Stage
afterEach(() => stage.stop())

describe.each(HOSTS)('context in $name', (host) => {
  const said = { 'weir-criticality': 'sheddable', 'weir-tenant': 'caf%C3%A9', 'weir-attempt': '2' }

  it('is believed from a trusted caller and reaches the handler behind the body parser', async () => {
    stage = await Stage.of(host, {}, { trust: () => true })
    expect(await stage.echo(said)).toMatchObject({ criticality: 'sheddable', tenant: 'café', attempt: 2 })
  })

  it('is not believed from anybody else', async () => {
    stage = await Stage.of(host)
    expect(await stage.echo(said)).toMatchObject({ criticality: 'sheddable-plus', tenant: null, attempt: 1 })
  })

  it('is believed where it bears the seal of the environment, as a named peer’s, and what is not sealed may only lower the class', async () => {
    stage = await Stage.of(host, { classes: { highest: 'sheddable-plus' } })
    const sealed: Record<string, string> = { ...said, 'weir-criticality': 'critical-plus' }
    SEAL.put(sealed)
    const seen = { criticality: 'critical-plus', tenant: 'café', attempt: 2 }
    expect(await stage.echo(sealed)).toMatchObject(seen)
    const baggage = 'weir.criticality=sheddable,weir.tenant=zeta'
    expect(await stage.echo({ ...sealed, baggage })).toMatchObject({ ...seen, criticality: 'sheddable' })
    expect(await stage.echo({ ...sealed, 'weir-tenant': 'zeta' })).toMatchObject({ tenant: null, attempt: 1 })
  })

  it('takes the host at its word first, and the lower class of two', async () => {
    stage = await Stage.of(host, {}, { trust: () => true, tenant: () => 'host', criticality: () => 'critical' })
    expect(await stage.echo(said)).toMatchObject({ criticality: 'sheddable', tenant: 'host' })
  })

  it('caps the class of everybody but a named peer', async () => {
    const top = { 'weir-criticality': 'critical-plus' }
    stage = await Stage.of(host, { classes: { highest: 'sheddable-plus' } }, { trust: () => true })
    expect(await stage.echo(top)).toMatchObject({ criticality: 'sheddable-plus' })
    await stage.stop()
    stage = await Stage.of(host, { classes: { highest: 'sheddable-plus' } }, { trust: () => 'orders' })
    expect(await stage.echo(top)).toMatchObject({ criticality: 'critical-plus' })
  })

  it('hands the trace context of the request to what is sampled, and on to its calls', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const parents: (string | null)[] = []
    const sampler: Sampler = {
      next: () => 1,
      refusal: () => false,
      begin: (given) => {
        parents.push(given.traceparent)
        const none = () => undefined
        return { traceparent: 'of the span', decided: none, started: none, end: none }
      },
    }
    stage = await Stage.of(host, {}, {}, {}, sampler)
    expect(await stage.echo({ traceparent })).toMatchObject({ traceparent: 'of the span' })
    await stage.echo()
    expect(parents).toEqual([traceparent, null])
  })

  it('survives options that throw, and tells of it', async () => {
    const broken = () => {
      throw new Error('host bug')
    }
    let told = 0
    const onError = () => {
      told++
    }
    stage = await Stage.of(host, {}, { gate: broken, trust: broken, tenant: broken, criticality: broken, onError })
    expect(await stage.echo(said)).toMatchObject({ criticality: 'sheddable-plus', tenant: null })
    expect(told).toBe(4)
  })

  it('clamps the deadline to the policy', async () => {
    stage = await Stage.of(host, { deadline: { defaultMs: 5_000, minMs: 1, maxMs: 8_000 } }, { trust: () => true })
    expect((await stage.echo({ 'weir-deadline-ms': '60000' })).remainingMs).toBeLessThanOrEqual(8_000)
    expect((await stage.echo({ 'weir-deadline-ms': '60000' })).remainingMs).toBeGreaterThan(5_000)
    expect((await stage.echo()).remainingMs).toBeLessThanOrEqual(5_000)
  })

  it('knows within the handler that the gate is held: entering it again takes no second slot', async () => {
    stage = await Stage.of(host, FULL)
    expect((await stage.client.call('nested').answer).body).toBe('1')
  })

  it('tells a trusted caller how often lower layers retried, and nobody else', async () => {
    stage = await Stage.of(host, {}, { trust: () => true })
    expect((await stage.client.call('retried').answer).headers['weir-retried']).toBe('3')
    await stage.stop()
    stage = await Stage.of(host)
    expect((await stage.client.call('retried').answer).headers['weir-retried']).toBeUndefined()
  })
})
