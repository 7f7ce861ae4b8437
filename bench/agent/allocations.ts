import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { median } from '../rounds.ts'

const collectGarbage = (): void => {
  if (!globalThis.gc) throw new Error('Run with --expose-gc.')
  globalThis.gc()
}

/** Calls until what is seldom done, keeping a decision for one, is compiled as well. */
const WARM_UP = 2_000_000

/**
 * Bytes allocated per call, medians of rounds in which nothing was collected: a heap difference over a collection says nothing.
 * The bytes of an empty round are taken off.
 */
export const allocated = async (subject: () => void, calls = 20_000, rounds = 9): Promise<number> => {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length
  })
  observer.observe({ entryTypes: ['gc'] })
  const round = async (work: () => void): Promise<number | null> => {
    collectGarbage()
    await turn()
    await turn()
    collections = 0
    const from = process.memoryUsage().heapUsed
    for (let i = 0; i < calls; i++) work()
    const bytes = process.memoryUsage().heapUsed - from
    await turn()
    await turn()
    return collections === 0 ? bytes : null
  }
  const series = async (work: () => void): Promise<number> => {
    for (let i = 0; i < WARM_UP; i++) work()
    const seen: number[] = []
    for (let tries = 0; seen.length < rounds && tries < 4 * rounds; tries++) {
      const bytes = await round(work)
      if (bytes !== null) seen.push(bytes)
    }
    if (seen.length < rounds) throw new Error('Every round had a garbage collection in it.')
    return median(seen)
  }
  const bytes = (await series(subject)) - (await series(() => undefined))
  observer.disconnect()
  return Math.max(0, bytes / calls)
}

/** Bytes that stay on the heap per key, after everything that can be collected was. */
export const held = async (add: (key: number) => void, keys: number): Promise<number> => {
  const settled = async (): Promise<number> => {
    for (let i = 0; i < 3; i++) {
      collectGarbage()
      await turn()
    }
    return process.memoryUsage().heapUsed
  }
  const from = await settled()
  for (let key = 0; key < keys; key++) add(key)
  return ((await settled()) - from) / keys
}
