import { settled } from '@weir/testkit'
import { bench, gatePolicy, settings } from '../admission/gate.testkit.ts'
import type { Consumer } from './consumer.ts'
import { Consumers } from './consumers.ts'
import type { Fate, Message } from './message.ts'

/** Time of day at which the virtual time line begins. */
const MIDNIGHT_MS = 1_800_000_000_000

/** A consumer on virtual time, whose handlers end when the test says so. */
export const consuming = (policy: Parameters<typeof gatePolicy>[0] = {}) => {
  const made = bench(settings(gatePolicy(policy)))
  const { gate, runtime } = made
  let maxAgeMs: number | null = policy.consumer?.maxAgeMs ?? null
  const wall = () => MIDNIGHT_MS + runtime.time.now()
  const consumers = new Consumers(runtime, wall)
  const consumer: Consumer = consumers.open(gate, 'mails', () => maxAgeMs)
  const began: string[] = []
  const ages: Record<string, number> = {}
  const fates: Record<string, Fate<string>> = {}
  const ends = new Map<string, { resolve: (value: string) => void; reject: (error: unknown) => void }>()
  const said: string[] = []
  let window = 0
  consumer.tap({
    pause: () => said.push('pause'),
    resume: () => said.push('resume'),
    window: (slots) => {
      window = slots
    },
  })
  /** Delivers a message that is so old. */
  const deliver = (name: string, ageMs = 0, more: Message = {}) => {
    const fate = consumer.take({ madeAtMs: wall() - ageMs, ...more }, ({ ageMs: age }) => {
      began.push(name)
      ages[name] = age
      return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }))
    })
    void fate.then((known) => Object.assign(fates, { [name]: known }))
  }
  const end = async (...names: string[]) => {
    for (const name of names) ends.get(name)?.resolve(name)
    await settled()
  }
  const fail = async (name: string) => {
    ends.get(name)?.reject(new Error(name))
    await settled()
  }
  const words = () => Object.fromEntries(Object.entries(fates).map(([name, { fate }]) => [name, fate]))
  const lagS = () => {
    const { lagMs } = consumer.report()
    return lagMs === null ? null : lagMs / 1_000
  }
  return {
    ...made,
    consumer,
    consumers,
    began,
    ages,
    fates,
    said,
    deliver,
    end,
    fail,
    words,
    lagS,
    window: () => window,
    oldest: (ms: number | null) => {
      maxAgeMs = ms
    },
  }
}
