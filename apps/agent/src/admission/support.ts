import type { GatePolicy, Problem } from '@weir/policy/model'

/**
 * What of a gate's policy this agent cannot do, with paths from the gate. The rest applies; each problem says what stands in its place.
 */
export const unsupported = (policy: GatePolicy): Problem[] => {
  const problems: Problem[] = []
  const say = (path: string, message: string) => problems.push({ path, message })
  if (policy.classes.topShareCap !== null)
    say('classes.topShareCap', 'This agent does not cap the share of the highest class.')
  return problems
}
