import type { BurnerSettings } from '../fleet/burner.ts'
import { Member } from '../fleet/member.ts'
import { best, byFile, ORDERS, PATIENCE_MS } from '../fleet/shop.ts'
import { load } from '../load/load.ts'
import { play, type Side } from '../run.ts'
import { rampOf } from './ramp.ts'
import type { Scenario, Stage, Terms } from './scenario.ts'

/** Of processor time for each piece of work. */
const BURNT_MS = 8
const CALLERS = 8

const policy = {
  gates: {
    checkout: {
      edge: true,
      concurrency: 2,
      queue: { maxWaitMs: 300 },
      deadline: { defaultMs: PATIENCE_MS },
      classes: { reserves: { critical: 0.4, 'sheddable-plus': 0.2, sheddable: 0.1 } },
    },
  },
}

const start = async (side: Side, stage: Stage): Promise<Member> =>
  Member.start('burner', {
    name: 'burner',
    workMs: BURNT_MS,
    weir: side === 'with' ? await byFile(stage)('burner', policy) : null,
  } satisfies BurnerSettings)

const capacityOf = async (stage: Stage): Promise<number> => {
  const burner = await start('without', stage)
  try {
    const seconds = stage.quick ? 3 : 5
    const stream = { shape: [], kinds: ORDERS, targets: [burner.url] }
    const { records } = await load({ type: 'closed', callers: CALLERS, seconds, stream }, () => undefined)
    const capacity = best(await records, seconds)
    stage.say(`Capacity: ${capacity.toFixed(0)} orders a second.`)
    return capacity
  } finally {
    await burner.stop()
  }
}

export const processor: Scenario = {
  name: 'processor',
  title: 'The ramp where the processor is what is short',
  about: `As the ramp, on one service whose every order burns ${BURNT_MS} ms of its only thread: what refuses and what works share it.`,
  quick: false,
  prepare: async (stage): Promise<Terms> => {
    const capacity = await capacityOf(stage)
    return {
      capacity,
      judged: ORDERS.map(({ name }) => name),
      scarce: ['burner'],
      gate: { service: 'burner', name: 'checkout' },
      queueBound: Math.ceil(capacity),
      notAsked: {
        reserves: 'two slots are fewer than there are classes: none has a whole one of its own',
        'retry-budget': 'it calls nobody',
        isolation: 'there is one pool, the processor',
        'steady-limit': 'the limit is fixed at 2',
      },
    }
  },
  play: async (side, { capacity }, stage) => {
    const burner = await start(side, stage)
    try {
      const { shape, spans } = rampOf(capacity, stage)
      const streams = [{ shape, kinds: ORDERS, targets: [burner.url] }]
      return await play({ ...stage, side, patienceMs: PATIENCE_MS, spans, members: [burner], streams })
    } finally {
      await burner.stop()
    }
  },
}
