import { setTimeout as sleep } from 'node:timers/promises'
import { lengthMs } from '@weir/testkit'
import { nowMs } from './clock.ts'
import type { Member } from './fleet/member.ts'
import type { JobEnd, Sample } from './fleet/messages.ts'
import { load } from './load/load.ts'
import type { Progress, Records, Stream } from './load/plan.ts'

/** A generator that was so late once has not offered what it says. */
export const MAX_LAG_MS = 50

export type Side = 'without' | 'with'

/** From when to when, milliseconds from the start of the load. */
export type Span = readonly [fromMs: number, toMs: number]

/** What is judged of a run: what is usual before, the overload, and what follows. */
export interface Spans {
  readonly calm: Span
  readonly hold: Span
  readonly after: Span
}

export interface ServiceLog {
  readonly name: string
  readonly samples: readonly Sample[]
  readonly books: Readonly<Record<string, number>>
  readonly ends: readonly JobEnd[]
}

/** A scenario that was played once, on one side. */
export interface Run {
  readonly side: Side
  readonly seed: number
  readonly patienceMs: number
  readonly spans: Spans
  readonly records: Records
  readonly services: readonly ServiceLog[]
}

/** Something that is done to the fleet at a time, milliseconds from the start. */
export interface Deed {
  readonly atMs: number
  readonly what: string
  readonly act: () => void | Promise<void>
}

export interface Playing {
  readonly side: Side
  readonly seed: number
  readonly patienceMs: number
  readonly spans: Spans
  readonly streams: readonly Stream[]
  readonly members: readonly Member[]
  readonly deeds?: readonly Deed[]
  readonly say: (line: string) => void
  readonly progress: (seconds: number, of: number, said: Progress) => void
}

const act = async ({ atMs, what, act }: Deed, startMs: number, say: (line: string) => void): Promise<void> => {
  await sleep(Math.max(0, startMs + atMs - nowMs()))
  say(`${(atMs / 1_000).toFixed(0)} s: ${what}`)
  await act()
}

/** Plays a load against a fleet and gathers what everybody saw. */
export const play = async (playing: Playing): Promise<Run> => {
  const { side, seed, patienceMs, spans, streams, members, deeds = [], say, progress } = playing
  const seconds = Math.max(...streams.map(({ shape }) => lengthMs(shape))) / 1_000
  const { startMs, records } = await load({ type: 'open', seed, patienceMs, streams }, (said) =>
    progress((nowMs() - startMs) / 1_000, seconds, said),
  )
  const done = deeds.map((deed) => act(deed, startMs, say))
  const played = await records
  await Promise.all(done)
  const services = await Promise.all(
    members.map(async (member): Promise<ServiceLog> => {
      const { books, ends } = await member.counts()
      return {
        name: member.name,
        books,
        ends,
        samples: member.samples.map((sample) => ({ ...sample, atMs: sample.atMs - startMs })),
      }
    }),
  )
  return { side, seed, patienceMs, spans, records: played, services }
}
