import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, seededRandom } from '@weir/testkit'
import { PARAMETERS } from './parameters.ts'

/** Times in milliseconds since the stage began. */
export interface Answer {
  readonly payment: string
  readonly kind: 'paid' | 'deferred' | 'failed'
  readonly askedAt: number
  readonly answeredAt: number
}

const KINDS: Readonly<Record<number, Answer['kind']>> = { 200: 'paid', 202: 'deferred' }

const order = async (url: string, payment: string, signal: AbortSignal): Promise<Answer['kind']> => {
  try {
    const response = await fetch(`${url}/orders`, { method: 'POST', body: JSON.stringify({ payment }), signal })
    await response.arrayBuffer()
    return KINDS[response.status] ?? 'failed'
  } catch (error) {
    if (signal.aborted) throw error
    return 'failed'
  }
}

const think = (random: Random): number => {
  const [from, to] = PARAMETERS.thinkMs
  return from + random() * (to - from)
}

interface LoopOptions {
  /** Asked before each order, with the milliseconds since the stage began and what was answered so far. */
  readonly goesOn: (ms: number, answers: readonly Answer[]) => boolean
  readonly seed: number
  readonly signal: AbortSignal
  /** Hears the number of answers after each. */
  readonly onAnswer: (answers: number) => void
}

/** Users who order, wait for the answer, think, and order again, for as long as it goes on; resolves when the last of them has an answer. */
export const closedLoop = async (
  url: string,
  name: string,
  { goesOn, seed, signal, onAnswer }: LoopOptions,
): Promise<Answer[]> => {
  const startedAt = performance.now()
  const now = () => performance.now() - startedAt
  const answers: Answer[] = []
  const user = async (number: number): Promise<void> => {
    const random = seededRandom(seed * 1_000 + number)
    await sleep(random() * PARAMETERS.thinkMs[1], undefined, { signal })
    for (let n = 0; goesOn(now(), answers); n++) {
      const payment = `${name}-${number}-${n}`
      const askedAt = now()
      const kind = await order(url, payment, signal)
      answers.push({ payment, kind, askedAt, answeredAt: now() })
      onAnswer(answers.length)
      await sleep(think(random), undefined, { signal })
    }
  }
  await Promise.all(Array.from({ length: PARAMETERS.users }, (_, number) => user(number)))
  return answers
}
