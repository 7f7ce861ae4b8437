/**
 * The load, as a process of its own. Open-loop: what arrives next does not wait for what was answered, and latency counts from when a request was to
 * arrive, so that a stall is seen by all that it delayed (no coordinated omission).
 */
import { setPriority } from 'node:os'
import { arrivals, mixed, poisson, seededRandom } from '@weir/testkit'
import { nowMs } from '../clock.ts'
import { type Sent, send } from './caller.ts'
import type { GeneratorSays, Kind, Plan, Stream } from './plan.ts'
import { Recorder } from './recorder.ts'

const TICK_MS = 1
const PROGRESS_MS = 500

const say = (message: GeneratorSays): void => void process.send?.(message)

/** A stream on its way: when its next request arrives, and what it is. */
class Flow {
  nextMs: number
  readonly #times: Generator<number>
  readonly #kind: () => number
  readonly #stream: Stream
  readonly #firstKind: number
  #turn = 0

  constructor(stream: Stream, seed: number, firstKind: number) {
    this.#times = arrivals(stream.shape, poisson(seededRandom(seed)))
    this.#kind = mixed(
      stream.kinds.map(({ share }, i) => [i, share] as const),
      seededRandom(seed + 1),
    )
    this.#stream = stream
    this.#firstKind = firstKind
    this.nextMs = this.#times.next().value ?? Number.POSITIVE_INFINITY
  }

  take(): { target: string; kind: Kind; index: number } {
    this.nextMs = this.#times.next().value ?? Number.POSITIVE_INFINITY
    const at = this.#kind()
    const { targets, kinds } = this.#stream
    const target = targets[this.#turn++ % targets.length] as string
    return { target, kind: kinds[at] as Kind, index: this.#firstKind + at }
  }
}

interface Open {
  readonly n: number
  readonly untilMs: number
  sent: Sent | null
}

const open = (plan: Plan & { type: 'open' }): void => {
  const { patienceMs } = plan
  const kinds = plan.streams.flatMap(({ kinds }) => kinds)
  let firstKind = 0
  const flows = plan.streams.map((stream, i) => {
    const flow = new Flow(stream, plan.seed + 1_000 * i, firstKind)
    firstKind += stream.kinds.length
    return flow
  })
  const startMs = nowMs()
  say({ type: 'started', startMs })
  const recorder = new Recorder(
    startMs,
    kinds.map(({ name }) => name),
  )
  // All callers are patient for the same time, so whoever came first leaves first.
  const patient: Open[] = []
  let left = 0

  const arrive = (flow: Flow): void => {
    const intendedMs = flow.nextMs
    const { target, kind, index } = flow.take()
    const lagMs = nowMs() - startMs - intendedMs
    const one: Open = { n: recorder.open(intendedMs, index, lagMs), untilMs: intendedMs + patienceMs, sent: null }
    const more = {
      'x-until': (startMs + one.untilMs).toFixed(1),
      'weir-deadline-ms': String(Math.max(1, Math.floor(patienceMs - lagMs))),
    }
    one.sent = send(target, kind, more, (outcome, reason) => {
      if (one.sent === null) return
      one.sent = null
      recorder.close(one.n, nowMs() - startMs, outcome, reason)
    })
    patient.push(one)
  }
  const leave = (atMs: number): void => {
    for (; left < patient.length && (patient[left] as Open).untilMs <= atMs; left++) {
      const { n, sent } = patient[left] as Open
      if (sent === null) continue
      ;(patient[left] as Open).sent = null
      sent.leave()
      recorder.close(n, nowMs() - startMs, 'gave-up')
    }
  }
  const tick = (): void => {
    const atMs = nowMs() - startMs
    for (const flow of flows) while (flow.nextMs <= atMs) arrive(flow)
    leave(atMs)
    if (flows.every(({ nextMs }) => nextMs === Number.POSITIVE_INFINITY) && left === patient.length) {
      clearInterval(progress)
      say({ type: 'done', records: recorder.take() })
    } else setTimeout(tick, TICK_MS)
  }
  const progress = setInterval(
    () => say({ type: 'progress', sent: recorder.sent, counts: recorder.counts }),
    PROGRESS_MS,
  )
  tick()
}

const closed = ({ callers, seconds, stream }: Plan & { type: 'closed' }): void => {
  const startMs = nowMs()
  say({ type: 'started', startMs })
  const recorder = new Recorder(
    startMs,
    stream.kinds.map(({ name }) => name),
  )
  const flow = new Flow(stream, 1, 0)
  let running = callers
  const call = (): void => {
    const atMs = nowMs() - startMs
    if (atMs >= seconds * 1_000) {
      if (--running === 0) say({ type: 'done', records: recorder.take() })
      return
    }
    const { target, kind, index } = flow.take()
    const n = recorder.open(atMs, index, 0)
    send(target, kind, { 'x-until': (startMs + atMs + 60_000).toFixed(1) }, (outcome, reason) => {
      recorder.close(n, nowMs() - startMs, outcome, reason)
      call()
    })
  }
  for (let i = 0; i < callers; i++) call()
}

try {
  // It shares its core with whatever else runs here; where it may, it goes first.
  setPriority(-10)
} catch {}
process.on('message', (plan: Plan) => (plan.type === 'open' ? open(plan) : closed(plan)))
process.once('disconnect', () => process.exit(0))
