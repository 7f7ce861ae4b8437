import { readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import type { Machine } from './signals/readers.ts'

const CGROUP_ROOT = '/sys/fs/cgroup'
/** Groups above this one that may hold a quota. */
const MAX_DEPTH = 16

/** Content of a small file of the system; `null` where there is none. */
export type ReadText = (path: string) => string | null

/** Cores by a `cpu.max` of cgroup v2: "quota period" in microseconds, "max" for none. NaN: unknown. */
const coresOf = (text: string | null): number => {
  const [quota = '', period = ''] = (text ?? '').trim().split(/\s+/)
  const cores = Number(quota || Number.NaN) / Number(period || Number.NaN)
  return cores > 0 && cores < Number.POSITIVE_INFINITY ? cores : Number.NaN
}

/**
 * Cores that the container's quota allows: the smallest of this process's group (cgroup v2) and those above it. NaN without a quota, without cgroup v2,
 * on other systems: the cores of the host say nothing about what a container may use, so they never stand in.
 */
export const quotaCores = (read: ReadText): number => {
  const own = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1] ?? '/'
  const parts = own.split('/').filter((part) => part !== '' && part !== '..')
  let least = Number.NaN
  for (let depth = Math.min(parts.length, MAX_DEPTH); depth >= 0; depth--) {
    const cores = coresOf(read([CGROUP_ROOT, ...parts.slice(0, depth), 'cpu.max'].join('/')))
    if (!(least <= cores)) least = Number.isNaN(cores) ? least : cores
  }
  return least
}

const readText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** The quota is read once, at the first question: it hardly ever changes under a running process. */
export const nodeMachine = (): Machine => {
  let cores: number | null = null
  return {
    heapShare: () => {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
      return used / limit
    },
    cores: () => {
      cores ??= quotaCores(readText)
      return cores
    },
  }
}
