import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '../gate-rig.testkit.ts'
import { HOSTS } from './hosts.testkit.ts'
import { FULL, Stage, turns } from './stage.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let stage: Stage
afterEach(() => stage.stop())

describe.each(HOSTS)('the end of work in $name', (host) => {
  it('is the end of a stream, not its beginning', async () => {
    stage = await Stage.of(host)
    const streaming = stage.client.call('stream')
    await until(() => stage.rig.slots.active === 1)
    await turns(50)
    expect(stage.rig.slots.active).toBe(1)
    stage.script.more.open()
    expect((await streaming.answer).body).toBe('firstlast')
    await stage.rig.idle()
    expect(stage.rig.books()).toEqual({ offered: 1, accepted: 1, completed: 1 })
  })

  it('is a failure where a stream breaks on our side', async () => {
    stage = await Stage.of(host)
    const streaming = stage.client.call('cut')
    await until(() => stage.rig.slots.active === 1)
    await turns(50)
    stage.script.more.open()
    await streaming.answer.catch(() => undefined)
    await stage.rig.idle()
    expect(stage.rig.books()).toEqual({ offered: 1, accepted: 1, failed: 1 })
  })

  it('comes at once for a caller that leaves the queue, and no handler runs', async () => {
    stage = await Stage.of(host, { concurrency: 1 })
    await stage.occupy()
    const leaving = stage.client.call('work')
    await until(() => stage.rig.slots.waiting === 1)
    leaving.leave()
    await until(() => stage.rig.slots.waiting === 0)
    stage.script.work.open()
    await stage.rig.idle()
    expect(stage.script.runs).toBe(1)
    expect(stage.rig.books()).toMatchObject({ offered: 2, accepted: 1, cancelled_waiting: 1 })
  })

  it.each(['work', 'quiet'] as const)(
    'is a zombie until the handler of %s has ended, when its caller has left',
    async (endpoint) => {
      stage = await Stage.of(host, FULL)
      const leaving = stage.client.call(endpoint)
      await until(() => stage.script.runs === 1)
      leaving.leave()
      await until(() => stage.rig.slots.zombies === 1)
      expect(stage.rig.slots.active).toBe(0)
      expect(stage.script.signal?.aborted).toBe(true)
      expect(stage.rig.books()).toEqual({ offered: 1, accepted: 1, cancelled: 1 })
      expect((await stage.client.call('work').answer).kind).toBe('refusal')
      stage.script.work.open()
      await stage.rig.idle()
      expect(stage.rig.books()).toMatchObject({ accepted: 1, cancelled: 1, shed: 1 })
    },
  )

  it('comes when a caller leaves in the middle of its body', async () => {
    stage = await Stage.of(host, { concurrency: 1 })
    const leaving = stage.client.halfBody()
    await until(() => stage.rig.slots.active === 1)
    leaving.leave()
    await stage.rig.idle()
    expect(stage.rig.books()).toEqual({ offered: 1, accepted: 1, cancelled: 1 })
  })

  it('comes when a caller leaves a stream', async () => {
    stage = await Stage.of(host, { concurrency: 1 })
    const leaving = stage.client.call('stream')
    await until(() => stage.rig.slots.active === 1)
    await turns(50)
    leaving.leave()
    await until(() => stage.rig.books().cancelled === 1)
    stage.script.more.open()
    await stage.rig.idle()
    expect(stage.rig.books()).toEqual({ offered: 1, accepted: 1, cancelled: 1 })
  })
})
