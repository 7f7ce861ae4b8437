import type { FeedbackRow } from '@weir/api'
import { duration, plural, share } from '../../format/numbers.ts'

/** What a rule does now, and why, in words. */
export const ruleSentence = (row: FeedbackRow): { readonly state: string; readonly why: string } => {
  const { topic, resource, phase, scale, lagSeconds, consumers, openSeconds, closeSeconds, binds } = row
  const part = `Quotas of ${resource} at ${share(scale)}`
  const state = {
    whole: `Quotas of ${resource} whole`,
    cutting: `${part}, falling`,
    holding: `${part}, held`,
    returning: `${part}, coming back`,
    unknown: `${part}, held`,
  }[phase]
  const lag =
    lagSeconds === null
      ? `no consumer of ${topic} says how far it is behind`
      : `${plural(consumers, 'consumer')} of ${topic}, ${duration(lagSeconds)} behind`
  const unbound = binds ? '' : ` No quota of ${resource} is set, so the rule binds nobody.`
  return { state, why: `${lag}; smaller from ${duration(openSeconds)}, back from ${duration(closeSeconds)}.${unbound}` }
}
