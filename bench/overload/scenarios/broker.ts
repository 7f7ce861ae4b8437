import { hold } from '@weir/testkit'
import type { ConsumerSettings } from '../fleet/consumer.ts'
import { Member } from '../fleet/member.ts'
import type { BrokerSettings } from '../fleet/queue.ts'
import { startRedis } from '../fleet/redis.ts'
import { byFile, sizeOf } from '../fleet/shop.ts'
import { type Kind, OUTCOMES, type Records } from '../load/plan.ts'
import { play, type Run, type Spans } from '../run.ts'
import type { Scenario, Stage, Terms } from './scenario.ts'

/** How long a mail is of use to anybody. */
const PATIENCE_MS = 2_000
/** Sooner, so that what is begun ends in time. */
const MAX_AGE_MS = 1_500
/** In times the capacity. */
const PEAK = 3
const MAIL: Kind = { name: 'mail', share: 1, method: 'POST', path: '/mails', headers: {} }

const spansOf = ({ quick }: Stage): Spans =>
  quick
    ? { calm: [1_000, 2_500], hold: [2_500, 6_500], after: [6_500, 10_500] }
    : { calm: [2_000, 5_000], hold: [5_000, 13_000], after: [13_000, 23_000] }

const policyOf = (concurrency: number) => ({
  gates: { mails: { concurrency, consumer: { maxAgeMs: MAX_AGE_MS } } },
})

/** What became of each mail, by its consumer; one that nobody got to was of no use to its caller. */
const byConsumer = (run: Run): Run => {
  const { records, patienceMs } = run
  const ends = new Map((run.services.find(({ name }) => name === 'consumer')?.ends ?? []).map((end) => [end[0], end]))
  const endMs = records.endMs.slice()
  const outcome = records.outcome.slice()
  const reasons: Record<string, number> = {}
  records.intendedMs.forEach((intended, i) => {
    const until = records.startMs + intended + patienceMs
    const end = ends.get(Number(until.toFixed(1)))
    const late = !end || end[1] > until
    const was = !late && end[2] === 'ok' ? 'ok' : end?.[2] === 'refused' ? 'refused' : 'gave-up'
    endMs[i] = was === 'gave-up' ? intended + patienceMs : (end?.[1] ?? 0) - records.startMs
    outcome[i] = OUTCOMES.indexOf(was)
    if (was === 'refused') reasons['too-old'] = (reasons['too-old'] ?? 0) + 1
  })
  const seen: Records = { ...records, endMs, outcome, reasons }
  return { ...run, records: seen }
}

export const broker: Scenario = {
  name: 'broker',
  title: 'A broker in the middle',
  about: `Mails are taken in and kept in BullMQ over a real Redis; a consumer with as many connections as the shop sends them. Three times what it can do comes for a while. A mail is of use for ${PATIENCE_MS / 1_000} s; behind the gate one older than ${MAX_AGE_MS} ms goes to the dead letters, which is counted as refused here. Latency is from when a mail was to arrive until it was sent.`,
  quick: false,
  prepare: async (stage): Promise<Terms> => {
    const { connections, workMs } = sizeOf(stage)
    const capacity = connections * (1_000 / workMs)
    stage.say(`Capacity: ${connections} connections of ${workMs} ms, ${capacity} mails a second.`)
    return {
      capacity,
      judged: [MAIL.name],
      // The producer sees what waits at the broker.
      scarce: ['producer', 'consumer'],
      gate: { service: 'consumer', name: 'mails' },
      queueBound: Math.ceil(PEAK * capacity * (MAX_AGE_MS / 1_000)),
      notAsked: {
        'cheap-refusals':
          'what is too old is dead, not refused: whoever made it was promised that it is kept, not when',
        'retry-budget': 'nobody retries',
        reserves: 'a topic has one order',
        isolation: 'there is one pool',
        'steady-limit': `the limit is fixed at ${connections}`,
      },
    }
  },
  play: async (side, { capacity }, stage) => {
    const spans = spansOf(stage)
    const { connections, workMs } = sizeOf(stage)
    const redis = await startRedis(stage.folder)
    const members: Member[] = []
    try {
      const { socket } = redis
      const weir = side === 'with' ? await byFile(stage)('consumer', policyOf(connections)) : null
      const producer = await Member.start('producer', { name: 'producer', weir: null, socket } satisfies BrokerSettings)
      members.push(producer)
      members.push(
        await Member.start('consumer', {
          name: 'consumer',
          weir,
          socket,
          connections,
          workMs,
        } satisfies ConsumerSettings),
      )
      const [from, to] = spans.hold
      const usual = 0.8 * capacity
      const shape = [hold(usual, from), hold(PEAK * capacity, to - from), hold(usual, spans.after[1] - to)]
      const streams = [{ shape, kinds: [MAIL], targets: [producer.url] }]
      return byConsumer(await play({ ...stage, side, patienceMs: PATIENCE_MS, spans, members, streams }))
    } finally {
      await Promise.all(members.map((member) => member.stop()))
      await redis.stop()
    }
  },
}
