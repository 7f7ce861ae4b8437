import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Upgrade, UpgradeLine } from './upgrade-line.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const rig = (bounds: { perTurn?: number; waiting?: number; waitMs?: number } = {}) => {
  const taken: number[] = []
  const late: number[] = []
  const time = { nowMs: 0 }
  const nameOf = ({ request }: Upgrade) => Number(request.url)
  const line = new UpgradeLine(
    (upgrade) => taken.push(nameOf(upgrade)),
    (upgrade) => late.push(nameOf(upgrade)),
    { perTurn: 4, waiting: 100, waitMs: 5_000, ...bounds },
    () => time.nowMs,
  )
  const join = (n: number, socket = new PassThrough()) =>
    line.join({ request: { url: String(n) } as IncomingMessage, socket, head: Buffer.alloc(0) })
  return { line, taken, late, time, join }
}

describe('the line of those that want a socket', () => {
  it('takes a few in each turn of the event loop, in the order they came', async () => {
    const { taken, join } = rig()
    for (let n = 0; n < 10; n++) join(n)
    const seen = [taken.length]
    for (let i = 0; i < 4; i++) {
      await turn()
      seen.push(taken.length)
    }
    expect(seen).toEqual([0, 4, 8, 10, 10])
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('has no room past its bound, and has again once some were taken', async () => {
    const { line, join } = rig({ waiting: 5 })
    expect([1, 2, 3, 4, 5, 6].map((n) => join(n))).toEqual([true, true, true, true, true, false])
    await turn()
    expect([line.length, join(7)]).toEqual([1, true])
  })

  it('refuses whoever waited too long, and passes over those that have left', async () => {
    const { taken, late, time, join } = rig({ waitMs: 100 })
    const left = new PassThrough()
    join(1)
    join(2, left)
    left.destroy()
    time.nowMs = 101
    join(3)
    await turn()
    expect([taken, late]).toEqual([[3], [1]])
  })

  it('keeps nothing of whoever had its turn, though others wait without a break', async () => {
    const { line, join } = rig({ perTurn: 1 })
    const sockets = Array.from({ length: 20 }, (_, n) => {
      const socket = new PassThrough()
      join(n, socket)
      return new WeakRef(socket)
    })
    const kept = () => {
      collectGarbage()
      return sockets.filter((socket) => socket.deref() !== undefined).length
    }
    while (line.length > 10) await turn()
    expect([line.length, kept() < 15]).toEqual([10, true])
  })

  it('begins anew after it was empty', async () => {
    const { taken, join } = rig()
    join(1)
    await turn()
    await turn()
    join(2)
    await turn()
    expect(taken).toEqual([1, 2])
  })
})
