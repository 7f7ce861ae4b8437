import { describe, expect, it } from 'vitest'
import { ruleSentence } from './broker-lines.ts'

describe('what the page says of brokers', () => {
  it('tells what a rule does now and why', () => {
    const row = {
      topic: 'mails',
      resource: 'checkout',
      phase: 'cutting' as const,
      scale: 0.49,
      lagSeconds: 612,
      consumers: 2,
      openSeconds: 60,
      closeSeconds: 15,
      least: 0.1,
      binds: true,
    }
    expect(ruleSentence(row)).toEqual({
      state: 'Quotas of checkout at 49 %, falling',
      why: '2 consumers of mails, 10.2 min behind; smaller from 60 s, back from 15 s.',
    })
    expect(ruleSentence({ ...row, phase: 'whole', scale: 1, lagSeconds: null, binds: false })).toEqual({
      state: 'Quotas of checkout whole',
      why: 'no consumer of mails says how far it is behind; smaller from 60 s, back from 15 s. No quota of checkout is set, so the rule binds nobody.',
    })
  })
})
