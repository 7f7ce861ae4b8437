import type { WorkContext } from '../core/context.ts'
import type { Sample } from '../core/sampling.ts'
import type { Parts } from './parts.ts'

/** Begins the sample of a call, where it is one that is told: with the dependency as it stands before the decision. */
export const sampleOf = (parts: Parts, context: WorkContext | undefined): Sample | null => {
  const { sampler, name, policy, revision, slots } = parts
  const adjustedCount = sampler.next()
  if (adjustedCount === 0) return null
  return sampler.begin({
    kind: 'dependency',
    name,
    adjustedCount,
    mode: policy.mode,
    criticality: context?.criticality ?? null,
    tenant: context?.tenant ?? null,
    revision,
    limit: policy.ceiling,
    inFlight: slots.inUse,
    waiting: null,
    edge: false,
    traceparent: context?.traceparent ?? null,
  })
}
