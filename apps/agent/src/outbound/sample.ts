import type { WorkContext } from '../core/context.ts'
import type { Sample } from '../core/sampling.ts'
import type { Parts } from './parts.ts'

/** Begins the sample of a call, where it is one that is told: with the dependency as it stands before the decision. */
export const sampleOf = (parts: Parts, context: WorkContext | undefined): Sample | null => {
  const adjustedCount = parts.sampler.next()
  return adjustedCount === 0 ? null : begun(parts, context, adjustedCount)
}

/** Of a call that was refused and is not told as work, where its reasons are wanted: it stands for none. */
export const refusalOf = (parts: Parts, context: WorkContext | undefined): Sample | null =>
  parts.sampler.refusal() ? begun(parts, context, 0) : null

const begun = (parts: Parts, context: WorkContext | undefined, adjustedCount: number): Sample => {
  const { sampler, name, policy, revision, slots } = parts
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
    route: null,
  })
}
