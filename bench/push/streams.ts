/** Many agents' streams in one process: the real ones, with their back-off, and nothing of an agent beside. */
import type { PolicyIdentity } from '@weir/policy/model'
import { realClock, realTimers } from '../../apps/agent/src/core/real.ts'
import { Stream } from '../../apps/agent/src/source/stream.ts'
import { helloOf } from './hello.ts'
import { epochMs, type Gathered, type StormAsk } from './message.ts'

const say = (answer: Gathered | { type: 'started' }) => process.send?.(answer)

/** One agent: where it is, and what it runs on. */
class Streamed {
  applied: PolicyIdentity | null = null
  readonly #stream: Stream
  readonly #changed: (agent: Streamed) => void

  constructor(n: number, origin: string, key: string, changed: (agent: Streamed) => void) {
    this.#changed = changed
    const onError = (error: unknown) => {
      const { message } = error as Error
      faults[message] = (faults[message] ?? 0) + 1
    }
    this.#stream = new Stream({
      origin,
      key,
      runtime: { clock: realClock, timers: realTimers, random: Math.random, onError },
      hello: () => {
        attempts++
        return helloOf(n, this.applied)
      },
      onMessage: (message) => {
        if (message.type !== 'snapshot') return
        const { databaseId, revision, hash } = message
        this.applied = { databaseId, revision, hash }
        this.#stream.send({ type: 'receipt', ...this.applied, status: 'applied', refused: [] })
        this.#changed(this)
      },
      onState: () => this.#changed(this),
    })
    this.#stream.start()
  }

  isBack(revision: number): boolean {
    return this.#stream.isUp && (this.applied?.revision ?? 0) >= revision
  }
}

let attempts = 0
let faults: Record<string, number> = {}
const agents: Streamed[] = []
const back = new Map<Streamed, number>()
let wanted = Number.POSITIVE_INFINITY
let answer: (() => void) | null = null

const changed = (agent: Streamed): void => {
  if (!agent.isBack(wanted)) {
    back.delete(agent)
    return
  }
  if (!back.has(agent)) back.set(agent, epochMs())
  if (back.size === agents.length) answer?.()
}

const gather = (revision: number, withinMs: number): void => {
  wanted = revision
  back.clear()
  const late = setTimeout(() => answer?.(), withinMs)
  answer = () => {
    clearTimeout(late)
    answer = null
    const at = [...back.values()].sort((a, b) => a - b)
    say({ type: 'gathered', at, missing: agents.length - at.length, attempts, faults })
    attempts = 0
    faults = {}
  }
  for (const agent of agents) changed(agent)
}

process.on('message', (ask: StormAsk) => {
  if (ask.type === 'gather') {
    gather(ask.revision, ask.withinMs)
    return
  }
  const origin = ask.url.replace('http', 'ws')
  for (let n = 0; n < ask.count; n++) agents.push(new Streamed(n, origin, ask.keys[n % ask.keys.length] ?? '', changed))
  say({ type: 'started' })
})
process.on('disconnect', () => process.exit())
