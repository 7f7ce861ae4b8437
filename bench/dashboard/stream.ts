import { metricsJson } from '../../apps/control-plane/src/testing/otlp-sample.ts'

const SECOND_MS = 1_000

/** What an agent of a busy service exports each second: twenty-odd figures that move, told by reason, class and tenant. */
const windowOf = (service: string, sequence: number, endMs: number): object => {
  const wave = Math.sin(sequence / 5)
  const labels = { 'weir.gate': 'checkout', 'weir.edge': true }
  const kinds = [
    { 'weir.class': 'critical', 'weir.tenant': 'acme' },
    { 'weir.class': 'sheddable', 'weir.tenant': 'umbrella' },
  ]
  const reasons = ['limit-reached', 'would-be-late', 'queue-timeout']
  const call = { 'weir.dependency': 'payments' }
  return metricsJson({
    resource: {
      'service.name': service,
      'service.instance.id': 'bench-1',
      'weir.figures': 'metrics',
      'weir.boot': 'bench',
      'weir.sequence': sequence,
    },
    startMs: endMs - SECOND_MS,
    endMs,
    counters: [
      ...kinds.flatMap((kind) => [
        ['weir.gate.offered', Math.round(200 + 40 * wave), { ...labels, ...kind }] as const,
        ['weir.gate.accepted', 60, { ...labels, ...kind }] as const,
        ['weir.gate.completed', 56, { ...labels, ...kind }] as const,
        ['weir.gate.failed', 2, { ...labels, ...kind }] as const,
        ['weir.gate.late', 2, { ...labels, ...kind }] as const,
        ...reasons.map(
          (reason) =>
            ['weir.gate.shed', Math.round(40 + 12 * wave), { ...labels, ...kind, 'weir.reason': reason }] as const,
        ),
      ]),
      ['weir.dependency.calls', 120, call],
      ['weir.dependency.completed', 114, call],
      ['weir.dependency.attempts', 128, call],
      ['weir.dependency.retries', 8, call],
    ],
    gauges: [
      ['weir.gate.limit', 40, labels],
      ['weir.gate.active', 30 + 8 * wave, labels],
      ['weir.gate.waiting', 6, labels],
      ['weir.gate.queue.oldest_age', 0.9 + 0.3 * wave, labels],
      ['weir.gate.level', 1, labels],
      ['weir.dependency.in_flight', 22 + 6 * wave, call],
      ['weir.dependency.ceiling', 60, call],
      ['weir.dependency.budget_left', 0.8, call],
    ],
  })
}

/** Sends a window each second until it is told to stop. */
export class Stream {
  #sequence = 0
  #timer: NodeJS.Timeout | undefined

  readonly #origin: string
  readonly #key: string
  readonly #service: string

  constructor(origin: string, key: string, service: string) {
    this.#origin = origin
    this.#key = key
    this.#service = service
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#send(), SECOND_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #send(): Promise<void> {
    const body = JSON.stringify(windowOf(this.#service, this.#sequence++, Date.now() - 50))
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#key}` }
    const answer = await fetch(`${this.#origin}/v1/metrics`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`The control plane answered ${answer.status} to a window.`)
  }
}
