import type { Entry, Permit, Work } from '@weir/agent/simulation'
import type { Prediction, Traffic } from '@weir/api'
import { CRITICALITIES, type EffectivePolicy } from '@weir/policy/model'
import { type Random, seededRandom, type VirtualRuntime, virtualRuntime } from '@weir/testkit'
import { type Demand, demand, demandLengthMs } from './demand.ts'
import { Process, type Seat } from './process.ts'
import { serviceTimes } from './service-time.ts'
import { Tally } from './tally.ts'

export interface Simulation {
  readonly traffic: Traffic
  readonly effective: EffectivePolicy
  /** The same seed gives the same prediction. Default 1. */
  readonly seed?: number
  /** How many of the traffic's processes are played; the others' work is left out. Default all. */
  readonly instances?: number
}

/** What is still running so long after the last arrival is not waited for, virtual milliseconds. */
const AFTERMATH_MS = 600_000
/** A caller that the host knows. */
const KNOWN = 'recorded'

/** Whose next arrival is when. */
interface Stream {
  readonly name: string
  readonly source: Iterator<Demand>
  readonly trusted: boolean
  /** Drawn anew per piece of work. */
  readonly time: () => number
  readonly failed: number
  readonly tally: Tally
  next: Demand | undefined
}

/**
 * Plays the traffic against the agent's own gates on virtual time and says what became of the work. Work that fits is done by a modelled service
 * (`Station`); all else, the limit, the queue, reserves, quotas, fairness, deadlines, is the code that runs in the processes. Yields now and then only
 * to microtasks: run it where nobody minds a busy thread.
 */
export const simulate = async ({ traffic, effective, seed = 1, instances }: Simulation): Promise<Prediction> => {
  const of = traffic.instances
  const simulated = Math.max(1, Math.min(of, instances ?? of))
  const runtime = virtualRuntime(seed)
  const random = seededRandom(seed + 1)
  const processes = Array.from({ length: simulated }, (_, i) => {
    const rank = Math.floor((i * of) / simulated)
    return new Process(traffic, effective, { agents: of, rank }, runtime)
  })
  const streams = streamsOf(traffic, seed)
  const world = new World(runtime, random)
  const { time } = runtime
  let arrivals = 0
  for (let stream = soonest(streams); stream; stream = soonest(streams)) {
    const one = stream.next as Demand
    // Any balancer that knows nothing: each piece goes to a process by chance.
    const process = of === 1 ? processes[0] : processes[Math.floor(random() * of)]
    const seat = process?.seats.get(stream.name)
    if (seat) {
      arrivals++
      while (time.step(one.atMs)) if (world.waiting > 0) await null
      time.advance(one.atMs - time.now())
      world.arrive(seat, stream, one)
      if (world.waiting > 0) await null
    }
    advance(stream)
  }
  const endMs = time.now() + AFTERMATH_MS
  while (world.busy && time.step(endMs)) await null
  for (const process of processes) {
    for (const stream of streams) {
      const seat = process.seats.get(stream.name)
      if (seat) stream.tally.read(seat.gate)
    }
    process.close()
  }
  return {
    gates: Object.fromEntries(streams.map(({ name, tally }) => [name, tally.result()])),
    arrivals,
    seconds: Math.max(0, ...Object.values(traffic.gates).map(demandLengthMs)) / 1_000,
    instances: { simulated, of },
  }
}

const streamsOf = (traffic: Traffic, seed: number): Stream[] =>
  Object.entries(traffic.gates).map(([name, gate], i) => {
    const random = seededRandom(seed + 1_000 * (i + 1))
    const stream: Stream = {
      name,
      source: demand(gate, random),
      trusted: gate.trusted,
      time: serviceTimes(gate.service.time, random),
      failed: gate.service.failed,
      tally: new Tally(),
      next: undefined,
    }
    advance(stream)
    return stream
  })

const advance = (stream: Stream): void => {
  const { value, done } = stream.source.next()
  stream.next = done === true ? undefined : value
}

const soonest = (streams: readonly Stream[]): Stream | undefined => {
  let first: Stream | undefined
  for (const stream of streams) if (stream.next && (!first?.next || stream.next.atMs < first.next.atMs)) first = stream
  return first
}

/** Work on its way through gates and stations. */
class World {
  readonly #runtime: VirtualRuntime
  readonly #random: Random
  /** Pieces of work that wait at a gate: only while there are any may a moment have settled promises, which must be heard before time moves on. */
  waiting = 0
  #running = 0

  constructor(runtime: VirtualRuntime, random: Random) {
    this.#runtime = runtime
    this.#random = random
  }

  /** Whether anything waits or runs. */
  get busy(): boolean {
    return this.waiting > 0 || this.#running > 0
  }

  arrive(seat: Seat, stream: Stream, one: Demand): void {
    const arrivedMs = this.#runtime.time.now()
    const entry = seat.gate.acquire(workOf(one, stream.trusted))
    if ('accepted' in entry) {
      this.#begin(entry, seat, stream, arrivedMs)
      return
    }
    this.waiting++
    void entry.then((late) => {
      this.waiting--
      this.#begin(late, seat, stream, arrivedMs)
    })
  }

  #begin(entry: Entry, { station }: Seat, { time, failed, tally }: Stream, arrivedMs: number): void {
    if (!entry.accepted) return
    const permit: Permit = entry
    tally.wait.add(this.#runtime.time.now() - arrivedMs)
    this.#running++
    station.start(time(), () => {
      this.#running--
      tally.latency.add(this.#runtime.time.now() - arrivedMs)
      if (failed > 0 && this.#random() < failed) permit.failure()
      else permit.success()
    })
  }
}

/** Work of one kind is one object: gates only read it. */
const workOf = ({ class: criticality, tenant, deadlineMs }: Demand, trusted: boolean): Work => ({
  criticality,
  tenant,
  deadlineMs,
  caller: trusted && criticality === CRITICALITIES[0] ? KNOWN : undefined,
})
