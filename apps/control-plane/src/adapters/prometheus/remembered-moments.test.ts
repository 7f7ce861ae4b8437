import { expect, test } from 'vitest'
import type { Moment } from '../../features/verdicts/judge.ts'
import { type Stretch, VerdictSource } from '../../features/verdicts/verdict-source.ts'
import { RememberedMoments } from './remembered-moments.ts'

const NONE = { accepted: 0, goodput: 0, refused: 0, endedBadly: 0, oldestAgeMs: 0 }

/** Says of each bucket in which round it was asked for, and when it begins. */
class Counted extends VerdictSource {
  readonly asked: Stretch[] = []
  round = 1
  /** Questions that it still answers. */
  answers = Infinity
  override async moments(environment: string, stretch: Stretch, bucket: number): Promise<Map<string, Moment[]>> {
    if (this.answers-- <= 0) throw new Error('away')
    this.asked.push(stretch)
    const moments: Moment[] = []
    for (let second = stretch.from; second < stretch.to; second += bucket)
      moments.push({ ...NONE, second, offered: this.round })
    return new Map([[`orders of ${environment}`, moments]])
  }
  override cuts = async () => []
  override dependencies = async () => []
}

const setUp = () => {
  const source = new Counted()
  let nowS = 30_900
  const past = new RememberedMoments(source, () => nowS * 1_000)
  const ask = async (from: number, to: number, environment = 'prod') => {
    const moments = (await past.moments(environment, { from, to }, 300)).get(`orders of ${environment}`) ?? []
    return moments.map(({ second, offered }) => [second, offered])
  }
  return { source, ask, at: (second: number) => (nowS = second) }
}

test('of six hours only what may have changed is asked for again, and the answer is whole', async () => {
  const { source, ask, at } = setUp()
  const first = await ask(8_400, 30_000)
  expect(first).toHaveLength(72)
  expect(source.asked).toHaveLength(6)
  at(31_200)
  source.round = 2
  const next = await ask(8_700, 30_300)
  expect(source.asked.slice(6)).toEqual([{ from: 29_100, to: 30_300 }])
  expect(next.map(([second]) => second)).toEqual(Array.from({ length: 72 }, (_, i) => 8_700 + i * 300))
  expect(next.map(([, times]) => times)).toEqual(
    Array.from({ length: 72 }, (_, i) => (8_700 + i * 300 < 29_100 ? 1 : 2)),
  )
})

test('another environment, an earlier beginning and other beginnings of buckets are asked for as they are', async () => {
  const { source, ask } = setUp()
  await ask(27_000, 30_000)
  await ask(27_000, 30_000, 'test')
  await ask(26_700, 30_000)
  await ask(26_710, 30_010)
  expect(source.asked.map(({ from }) => from)).toEqual([27_000, 27_000, 26_700, 26_710])
})

test('what could not be read is asked for again, what was read before it is not', async () => {
  const { source, ask } = setUp()
  source.answers = 2
  await expect(ask(8_400, 30_000)).rejects.toThrow('away')
  source.answers = Infinity
  source.round = 2
  const answer = await ask(8_400, 30_000)
  expect(answer.map(([, round]) => round)).toEqual(Array.from({ length: 72 }, (_, i) => (i < 24 ? 1 : 2)))
})
