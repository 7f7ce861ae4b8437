import type { Scales } from '@weir/wire'
import type { Bus, BusTopics } from '../bus.ts'
import { type FeedbackElsewhere, type FeedbackState, type Fleet, type Reading, readingsOf } from './feedback.ts'

/** Of a replica that has not said anything for so long nothing is believed any more, milliseconds. It speaks each second. */
const BELIEVED_MS = 3_000

type Heard = BusTopics['feedback-heard']
type Told = BusTopics['feedback-told']

/**
 * The rules of feedback where agents are with several replicas: each tells the others what its own agents say, and of those that have agents of a service the one
 * whose name comes first looks at its rules; the others do what it says. When it goes, the next begins where the agents are, as after a restart.
 */
export class SharedFeedback implements FeedbackElsewhere {
  readonly #heard = new Map<string, { readonly said: Heard; readonly atMs: number }>()
  readonly #told = new Map<string, { readonly said: Told; readonly atMs: number }>()

  constructor(
    private readonly bus: Bus,
    private readonly replica: string,
    private readonly monotonicMs: () => number,
  ) {
    bus.subscribe('feedback-heard', (said) => {
      if (said.from !== replica) this.#heard.set(said.from, { said, atMs: monotonicMs() })
    })
    bus.subscribe('feedback-told', (said) => {
      if (said.from !== replica) this.#told.set(said.serviceId, { said, atMs: monotonicMs() })
    })
  }

  looksAt({ serviceId }: Fleet): boolean {
    return !this.#fresh().some(
      ({ from, services }) => from < this.replica && services.some((service) => service.serviceId === serviceId),
    )
  }

  readings(environment: string): [topic: string, reading: Reading][] {
    return this.#fresh().flatMap(({ topics }) =>
      topics
        .filter((each) => each.environment === environment)
        .map(({ topic, lagSeconds, consumers, reportMs }): [string, Reading] => [
          topic,
          { lagSeconds, consumers, reportMs },
        ]),
    )
  }

  applied({ serviceId }: Fleet, resource: string): number {
    const least = this.#fresh().flatMap(({ services }) =>
      services.filter((service) => service.serviceId === serviceId).map(({ applied }) => applied[resource] ?? 1),
    )
    return Math.min(1, ...least)
  }

  told({ serviceId }: Fleet): { readonly scales: Scales; readonly states: Told['states'] } | null {
    const told = this.#told.get(serviceId)
    return told === undefined || this.monotonicMs() - told.atMs > BELIEVED_MS ? null : told.said
  }

  /** Once a second. */
  tell(fleets: readonly Fleet[], statesOf: (fleet: Fleet) => readonly FeedbackState[]): void {
    this.#forget()
    if (fleets.length === 0) return
    const environments = new Set(fleets.map(({ ref }) => ref.environment))
    const topics = [...environments].flatMap((environment) =>
      Array.from(readingsOf(fleets, environment), ([topic, reading]) => ({ environment, topic, ...reading })),
    )
    const services = fleets.map((fleet) => ({
      serviceId: fleet.serviceId,
      applied: Object.fromEntries(
        Object.values(fleet.rules).map(({ resource }) => [resource, fleet.applied(resource)]),
      ),
    }))
    this.bus.publish('feedback-heard', { from: this.replica, services, topics })
    for (const fleet of fleets) {
      const { serviceId, scales } = fleet
      if (scales === null || Object.keys(fleet.rules).length === 0 || !this.looksAt(fleet)) continue
      const states = statesOf(fleet).map(({ topic, consumers, scale, phase, lagSeconds }) => ({
        topic,
        consumers,
        scale,
        phase,
        lagSeconds,
      }))
      this.bus.publish('feedback-told', { from: this.replica, serviceId, scales, states })
    }
  }

  #fresh(): Heard[] {
    const nowMs = this.monotonicMs()
    return [...this.#heard.values()].filter(({ atMs }) => nowMs - atMs <= BELIEVED_MS).map(({ said }) => said)
  }

  #forget(): void {
    const nowMs = this.monotonicMs()
    for (const said of [this.#heard, this.#told])
      for (const [key, { atMs }] of said) if (nowMs - atMs > BELIEVED_MS) said.delete(key)
  }
}
