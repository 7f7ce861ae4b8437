import { describe, expect, it } from 'vitest'
import { Sampler } from './sampler.ts'
import { ToldReaders } from './signals.testkit.ts'

/** A loop that is blocked: its timers fire when the test says, however late. */
const blocked = () => {
  const delays: number[] = []
  let fire: () => void = () => undefined
  let nowMs = 0
  const readers = new ToldReaders()
  const timers = {
    set: (callback: () => void, delayMs: number) => {
      delays.push(delayMs)
      fire = callback
      return callback
    },
    clear: () => undefined,
  }
  const world = { clock: { now: () => nowMs }, timers }
  const sampler = new Sampler(
    world,
    readers,
    () => undefined,
    () => undefined,
  )
  const after = (ms: number) => {
    nowMs += ms
    fire()
  }
  return { sampler, readers, delays, after }
}

describe('a sampler', () => {
  it('O-18 looks a moment later when it is late, so that the block has been measured before it is read', () => {
    const { sampler, readers, delays, after } = blocked()
    sampler.start()
    after(255)
    expect([readers.intervals, delays]).toEqual([[255], [250, 250]])
    after(3_000)
    expect([readers.intervals, delays]).toEqual([[255], [250, 250, 1]])
    after(1)
    expect([readers.intervals, delays]).toEqual([
      [255, 3_001],
      [250, 250, 1, 250],
    ])
  })
})
