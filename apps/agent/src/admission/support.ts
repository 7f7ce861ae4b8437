import { CRITICALITIES, type GatePolicy, type Problem, type QueueOrder } from '@weir/policy/model'

/** Queue orders that this agent can do; another falls back to `fifo`. */
export const SUPPORTED_ORDERS: readonly QueueOrder[] = ['fifo']

/**
 * What of a gate's policy this agent cannot do, with paths from the gate. The rest applies; each problem says what stands in its place.
 */
export const unsupported = (policy: GatePolicy): Problem[] => {
  const problems: Problem[] = []
  const say = (path: string, message: string) => problems.push({ path, message })
  if (!SUPPORTED_ORDERS.includes(policy.queue.order))
    say('queue.order', `This agent has no ${policy.queue.order} order: first in, first out stands in.`)
  if (CRITICALITIES.some((name) => policy.classes.reserves[name] > 0))
    say('classes.reserves', 'This agent has no reserved slots: classes order its queue only.')
  if (policy.classes.topShareCap !== null)
    say('classes.topShareCap', 'This agent does not cap the share of the highest class.')
  if (Object.keys(policy.signals).length > 0) say('signals', 'This agent does not read capacity signals.')
  return problems
}
