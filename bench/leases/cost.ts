import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { HeldLease, LeaseAsked, LeaseGrant, LeaseGranted } from '@weir/policy/model'
import { seededRandom } from '@weir/testkit'
import { LeaseBook } from '../../apps/control-plane/src/features/leases/lease-book.ts'
import { leaseTiming } from '../../apps/control-plane/src/features/leases/timing.ts'
import { drawnOf, loadOf, nameOf, published, quotasOf, type SharedQuota, unitsOf } from './quotas.ts'

/** Refreshes that are played; the first, in which everybody joins, is not timed. */
const ROUNDS = 4
const REFRESH_MS = 5_000

/** What one replica pays that owns the book of a whole fleet. */
export interface BookCost {
  /** Questions that come in a second, each for several quotas; as many answers go. */
  readonly questionsPerSecond: number
  /** Processor time of a refresh's questions beside the refresh. */
  readonly cpuShare: number
  readonly microsPerQuestion: number
  readonly heapMb: number
  /** A question and its answer as JSON. */
  readonly questionBytes: number
  readonly answerBytes: number
}

/** The book alone: no sockets, and no agents' side of which the memory would count. */
export const bookCost = (agents: number, quotas: number): BookCost => {
  const random = seededRandom(1)
  const shared = quotasOf(agents, quotas, random)
  const collect = collector()
  const all = Array.from({ length: agents }, (_, i) => new Asker(`agent ${i}`, shared, random))
  const before = collect()
  const options = { epoch: 'cost', timing: leaseTiming(REFRESH_MS), random }
  const book = new LeaseBook(options, published(shared), 0)
  let cpuMs = 0
  for (let round = 0; round < ROUNDS; round++) {
    const from = process.cpuUsage()
    for (const [i, agent] of all.entries()) {
      const nowMs = (round + i / agents) * REFRESH_MS
      agent.granted = book.ask(agent.name, agent.asked(), nowMs, 0)
    }
    const { user, system } = process.cpuUsage(from)
    if (round > 0) cpuMs += (user + system) / 1_000 / (ROUNDS - 1)
  }
  const one = all[0] as Asker
  const asked = one.asked()
  const answer = one.granted
  for (const agent of all) agent.granted = []
  const heapMb = (collect() - before) / 2 ** 20
  if (book.size === 0) throw new Error('The book is empty.')
  return {
    questionsPerSecond: (agents * 1_000) / REFRESH_MS,
    cpuShare: cpuMs / REFRESH_MS,
    microsPerQuestion: (cpuMs * 1_000) / agents,
    heapMb,
    questionBytes: JSON.stringify(asked).length,
    answerBytes: JSON.stringify(answer).length,
  }
}

/** What an agent says each time: it holds what it was granted, and what it wants varies. */
class Asker {
  readonly name: string
  granted: readonly LeaseGranted[] = []
  readonly #quotas: readonly SharedQuota[]
  readonly #draws: readonly number[]
  readonly #random: () => number

  constructor(name: string, quotas: readonly SharedQuota[], random: () => number) {
    this.name = name
    this.#quotas = quotas
    this.#random = random
    this.#draws = drawnOf(quotas, random)
  }

  asked(): LeaseAsked[] {
    return this.#draws.map((quota) => {
      const { kind } = this.#quotas[quota] as SharedQuota
      const want = Math.ceil(unitsOf(kind, loadOf(kind, this.#random)))
      const grant = this.granted.find(({ tenant }) => tenant === String(quota))?.grant
      const held = grant === undefined ? null : heldOf(grant)
      return { ...nameOf(quota, kind), want, spare: Math.ceil(want / 10), used: want, inUse: 0, held }
    })
  }
}

/** As it is told a refresh later. */
const heldOf = ({ epoch, id, units, safe, lengthMs, waitMs, deadMs }: LeaseGrant): HeldLease => ({
  epoch,
  id,
  units,
  safe,
  expiresInMs: Math.max(0, lengthMs - REFRESH_MS),
  stepInMs: waitMs - REFRESH_MS,
  deadInMs: deadMs - REFRESH_MS,
})

/** Bytes in use, once nothing is left that nobody needs. */
const collector = (): (() => number) => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  return () => {
    gc()
    return process.memoryUsage().heapUsed
  }
}
