import { once } from 'node:events'
import type { ControlPlane } from '../../examples/fleet/src/demo/control-plane.ts'
import { ask, child, cpuSeconds, peakKb, share } from './children.ts'
import { epochMs, type Gathered } from './message.ts'

/** Whoever is not back by then is locked out. */
const PATIENCE_MS = 120_000

export interface StormOptions {
  readonly plane: ControlPlane
  readonly keys: readonly string[]
  readonly count: number
  /** Publishes; answers with the revision. */
  readonly publish: (why: string) => Promise<number>
}

/** Of one restart under a fleet: seconds are from when the control plane was ready again. */
export interface StormFigures {
  readonly downSeconds: number
  /** Until half of the agents were back and held a policy that was published at once, and until all were. */
  readonly halfSeconds: number
  readonly allSeconds: number
  readonly lockedOut: number
  readonly peakMb: number
  readonly cpuSeconds: number
  readonly attempts: number
  readonly faults: Readonly<Record<string, number>>
}

/** A fleet of real streams through a planned restart of its control plane, and through one that was killed. */
export const storms = async (options: StormOptions): Promise<Record<'planned' | 'killed', StormFigures>> => {
  const { plane, keys, count, publish } = options
  const agents = child(new URL('streams.ts', import.meta.url))
  try {
    await ask(agents, { type: 'start', url: plane.origin, keys, count })
    const gather = (revision: number) => ask<Gathered>(agents, { type: 'gather', revision, withinMs: PATIENCE_MS })
    const first = await gather(await publish('before the storm'))
    if (first.missing > 0) throw new Error(`${first.missing} agents did not connect: ${JSON.stringify(first.faults)}`)
    const storm = async (end: () => Promise<void>): Promise<StormFigures> => {
      const downMs = epochMs()
      await end()
      await plane.start()
      const readyMs = epochMs()
      const pid = plane.pid ?? 0
      const usedSeconds = await cpuSeconds(pid)
      const { at, missing, attempts, faults } = await gather(await publish('after the storm'))
      return {
        downSeconds: (readyMs - downMs) / 1_000,
        halfSeconds: (share(at, 0.5) - readyMs) / 1_000,
        allSeconds: (share(at, 1) - readyMs) / 1_000,
        lockedOut: missing,
        peakMb: (await peakKb(pid)) / 1_024,
        cpuSeconds: (await cpuSeconds(pid)) - usedSeconds,
        attempts,
        faults,
      }
    }
    const planned = await storm(() => plane.stop())
    const killed = await storm(() => plane.kill())
    return { planned, killed }
  } finally {
    const ended = once(agents, 'exit')
    agents.kill()
    await ended
  }
}
