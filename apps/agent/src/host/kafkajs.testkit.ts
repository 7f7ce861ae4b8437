import { settled } from '@weir/testkit'
import type { ConsumerRunConfig, EachBatchPayload, Consumer as KafkaClient } from 'kafkajs'
import { consuming } from '../consumer/consumer.testkit.ts'
import { type KafkaConsumeOptions, type TopicMessage, weirConsume } from './kafkajs.ts'

interface Logged {
  readonly offset: string
  readonly timestamp: string
  readonly key: null
  readonly value: Buffer
  readonly attributes: number
}

/** One partition, and a client of it that keeps to what kafkajs says of `run`, `eachBatch`, `pause` and `resolveOffset`; there is no network and no group. */
class KafkaDouble {
  readonly log: Logged[] = []
  readonly did: string[] = []
  readonly events = { GROUP_JOIN: 'join', CRASH: 'crash', DISCONNECT: 'disconnect' }
  readonly #listeners = new Map<string, () => void>()
  config: ConsumerRunConfig = {}
  running = true
  stale = false
  paused = false
  /** Offset that is fetched next. */
  position = 0
  beats = 0
  commits = 0
  beating: () => Promise<void> = async () => undefined

  get listening(): number {
    return this.#listeners.size
  }

  on(event: string, listener: () => void): () => void {
    this.#listeners.set(event, listener)
    return () => this.#listeners.delete(event)
  }

  async run(config: ConsumerRunConfig): Promise<void> {
    this.config = config
    this.#listeners.get('join')?.()
  }

  pause(topics: unknown): void {
    this.paused = true
    this.did.push(`pause ${JSON.stringify(topics)}`)
  }

  resume(topics: unknown): void {
    this.paused = false
    this.did.push(`resume ${JSON.stringify(topics)}`)
  }

  async disconnect(): Promise<void> {
    this.running = false
    this.did.push('disconnect')
  }

  /** Fetches what the partition holds from `position` on, and hands it to the adapter as one batch. */
  fetch(): Promise<void> {
    const messages = this.log.slice(this.position)
    const payload: Omit<EachBatchPayload, 'batch' | 'pause' | 'uncommittedOffsets'> = {
      resolveOffset: (offset) => {
        this.position = Number(offset) + 1
        this.did.push(`resolve ${offset}`)
      },
      heartbeat: async () => {
        this.beats++
        await this.beating()
      },
      commitOffsetsIfNecessary: async () => {
        this.commits++
      },
      isRunning: () => this.running,
      isStale: () => this.stale,
    }
    const batch = { topic: 'mails', partition: 0, messages }
    return this.config.eachBatch?.({ ...payload, batch } as unknown as EachBatchPayload) ?? Promise.resolve()
  }
}

/** A consumer of the double behind a gate on virtual time, whose handlers end when the test says so. */
export const kafkaRig = async (
  policy: Parameters<typeof consuming>[0],
  options: Partial<KafkaConsumeOptions> = {},
  cannotRun?: Error,
) => {
  const made = consuming(policy)
  const kafka = new KafkaDouble()
  if (cannotRun) kafka.run = () => Promise.reject(cannotRun)
  const began: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const nowMs = 1_800_000_000_000
  /** Puts messages of so many ages, milliseconds, at the end of the partition. */
  const produce = (...agesMs: number[]) => {
    for (const ageMs of agesMs)
      kafka.log.push({
        offset: String(kafka.log.length),
        timestamp: String(nowMs + made.runtime.time.now() - ageMs),
        key: null,
        value: Buffer.from('mail'),
        attributes: 0,
      })
  }
  const handler = ({ message }: TopicMessage) => {
    began.push(message.offset)
    const end = Promise.withResolvers<void>()
    ends.set(message.offset, end)
    return end.promise
  }
  const consumer = weirConsume({ consumer: () => made.consumer }, kafka as unknown as KafkaClient, handler, {
    topic: 'mails',
    ...options,
  })
  await settled()
  const fetched: { ended: boolean; error: unknown } = { ended: false, error: null }
  const fetch = async () => {
    Object.assign(fetched, { ended: false, error: null })
    kafka.fetch().then(
      () => Object.assign(fetched, { ended: true }),
      (error: unknown) => Object.assign(fetched, { ended: true, error }),
    )
    await settled()
  }
  const end = async (...offsets: number[]) => {
    for (const offset of offsets) ends.get(String(offset))?.resolve()
    await settled()
  }
  const fail = async (offset: number, error: unknown) => {
    ends.get(String(offset))?.reject(error)
    await settled()
  }
  const resolved = () => kafka.did.filter((word) => word.startsWith('resolve'))
  return { ...made, kafka, client: consumer, began, fetched, produce, fetch, end, fail, resolved }
}
