import { settled } from '@weir/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { kafkaRig } from './kafkajs.testkit.ts'

afterEach(() => void vi.useRealTimers())

const OLD_MS = 60_000

describe('a fetched batch', () => {
  it('B-84 messages that are too old never reach the handler, at its beginning, in hand or at its end', async () => {
    const dead: [string, number][] = []
    const deadLetter = ({ message }: { message: { offset: string } }, ageMs: number) =>
      void dead.push([message.offset, ageMs])
    const rig = await kafkaRig({ limit: 1, consumer: { maxAgeMs: OLD_MS } }, { deadLetter })
    rig.produce(0, OLD_MS, OLD_MS - 1_000, 0, 90_000)
    await rig.fetch()
    expect([rig.began, dead]).toEqual([['0'], [['1', OLD_MS]]])
    await rig.runtime.time.run(1_000)
    expect(dead.map(([offset]) => offset)).toEqual(['1', '2'])
    await rig.end(0)
    expect(dead.map(([offset]) => offset)).toEqual(['1', '2', '4'])
    await rig.end(3)
    expect([rig.began, rig.fetched, rig.kafka.position]).toEqual([['0', '3'], { ended: true, error: null }, 5])
  })

  it('resolves offsets in order, and none past a message that has not ended', async () => {
    const { produce, fetch, end, resolved, fetched, kafka } = await kafkaRig({ limit: 4 })
    produce(0, 0, 0, 0)
    await fetch()
    await end(1, 3)
    expect(resolved()).toEqual([])
    await end(0)
    expect([resolved(), fetched.ended]).toEqual([['resolve 0', 'resolve 1'], false])
    await end(2)
    expect(resolved()).toEqual(['resolve 0', 'resolve 1', 'resolve 2', 'resolve 3'])
    expect([fetched, kafka.config.eachBatchAutoResolve, kafka.commits > 0]).toEqual([
      { ended: true, error: null },
      false,
      true,
    ])
  })

  it('a message whose handler throws is not resolved, nothing more of its batch begins, and it is fetched again', async () => {
    const { produce, fetch, end, fail, kafka, began, fetched } = await kafkaRig({ limit: 2 })
    produce(0, 0, 0, 0, 0)
    await fetch()
    const cause = Object.assign(new Error('no mail server'), { retriable: false })
    await fail(1, cause)
    expect([began, fetched.ended]).toEqual([['0', '1'], false])
    await end(0)
    expect([began, kafka.position]).toEqual([['0', '1'], 1])
    expect(fetched.error).toEqual(new Error('Offset 1 of mails[0] failed.', { cause }))
    expect(fetched.error).not.toHaveProperty('retriable')
    await fetch()
    expect(began).toEqual(['0', '1', '1', '2'])
    for (const offset of [1, 2, 3, 4]) await end(offset)
    expect([fetched, kafka.position]).toEqual([{ ended: true, error: null }, 5])
  })

  it('a message that is too old stays where its dead letter could not be written', async () => {
    const deadLetter = () => Promise.reject(new Error('disk'))
    const { produce, fetch, kafka, fetched } = await kafkaRig(
      { limit: 2, consumer: { maxAgeMs: OLD_MS } },
      { deadLetter },
    )
    produce(OLD_MS)
    await fetch()
    expect([kafka.position, String(fetched.error)]).toEqual([0, 'Error: Offset 0 of mails[0] failed.'])
  })

  it('a message without a time is as old as its delivery', async () => {
    const { produce, fetch, kafka, began } = await kafkaRig({ limit: 2, consumer: { maxAgeMs: OLD_MS } })
    produce(0)
    Object.assign(kafka.log[0] ?? {}, { timestamp: '-1' })
    await fetch()
    expect(began).toEqual(['0'])
  })
})

describe('fetching', () => {
  it('B-84a stops at twice the limit and goes on under it, within a batch too', async () => {
    const { produce, fetch, end, kafka, consumer, fetched } = await kafkaRig({ limit: 2 })
    produce(0, 0, 0, 0, 0, 0)
    await fetch()
    const topics = '[{"topic":"mails"}]'
    expect([consumer.held, kafka.did]).toEqual([4, [`pause ${topics}`]])
    await end(0, 1)
    expect([consumer.held, kafka.paused]).toEqual([2, true])
    await end(2)
    expect(kafka.did).toContain(`resume ${topics}`)
    expect(consumer.held).toBe(3)
    for (const offset of [3, 4, 5]) await end(offset)
    expect([fetched.ended, kafka.paused, kafka.position]).toEqual([true, false, 6])
  })

  it('the age of what was delivered is its lag, which is unknown without a broker', async () => {
    const { produce, fetch, lagS, consumer, client, end } = await kafkaRig({ limit: 2 })
    produce(5_000, 1_000)
    await fetch()
    expect([lagS(), client.consuming]).toEqual([5, true])
    consumer.connected(false)
    expect([lagS(), client.consuming]).toEqual([null, false])
    await end(0)
    await end(1)
  })
})

describe('kafkajs', () => {
  it('gets its heartbeats while handlers run', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { produce, fetch, end, kafka } = await kafkaRig({ limit: 1 })
    produce(0)
    await fetch()
    const before = kafka.beats
    for (let second = 0; second < 5; second++) {
      vi.advanceTimersByTime(1_000)
      await settled()
    }
    expect(kafka.beats).toBe(before + 5)
    await end(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is told of its own error, once what runs has ended: a rebalance', async () => {
    const { produce, fetch, end, kafka, began, fetched } = await kafkaRig({ limit: 1 })
    produce(0, 0)
    const rebalance = Object.assign(new Error('rebalance'), { type: 'REBALANCE_IN_PROGRESS' })
    kafka.beating = () => Promise.reject(rebalance)
    await fetch()
    expect(fetched.ended).toBe(false)
    await end(0)
    expect([began, kafka.position, fetched.error]).toEqual([['0'], 1, rebalance])
  })

  it.each(['stale', 'stopped'] as const)(
    '%s: no more of a batch is handed in, and only what may be is resolved',
    async (how) => {
      const { produce, fetch, end, kafka, began, fetched } = await kafkaRig({ limit: 1 })
      produce(0, 0, 0)
      await fetch()
      if (how === 'stale') kafka.stale = true
      else kafka.running = false
      await end(0)
      await end(1)
      expect([began, fetched]).toEqual([['0', '1'], { ended: true, error: null }])
      expect(kafka.position).toBe(how === 'stale' ? 0 : 2)
    },
  )

  it('is reported where it cannot run', async () => {
    const { runtime, client } = await kafkaRig({ limit: 1 }, {}, new Error('not subscribed'))
    expect(runtime.errors.map(({ error }) => String(error))).toEqual(['Error: not subscribed'])
    expect(client.consuming).toBe(false)
  })
})

describe('close', () => {
  it('in the middle of a batch: what runs ends and is resolved, what has not begun is left, and nothing stays', async () => {
    const { produce, fetch, end, kafka, client, began, fetched, consumer } = await kafkaRig({ limit: 2 })
    produce(0, 0, 0, 0, 0, 0)
    await fetch()
    let closed = false
    const closing = Promise.all([client.close(), client.close()]).then(() => {
      closed = true
    })
    await end(1)
    expect([closed, kafka.did.includes('disconnect')]).toEqual([false, false])
    await end(0)
    await closing
    expect([began, kafka.position, fetched]).toEqual([['0', '1'], 2, { ended: true, error: null }])
    expect(kafka.did.slice(-3)).toEqual(['resolve 0', 'resolve 1', 'disconnect'])
    expect([kafka.listening, consumer.held, client.consuming]).toEqual([0, 0, false])
  })

  it('with a client that cannot say goodbye: reported, not thrown', async () => {
    const { kafka, client, runtime } = await kafkaRig({ limit: 2 })
    kafka.disconnect = () => Promise.reject(new Error('gone'))
    await client.close()
    expect(runtime.errors.map(({ error }) => String(error))).toEqual(['Error: gone'])
  })
})
