import type { EvenSplit } from '@weir/policy/model'

export interface SplitMember {
  readonly instance: string
  /** When the instance took its place, wall-clock milliseconds; kept over reconnects and restarts. */
  readonly joinedAtMs: number
}

const byJoining = (a: SplitMember, b: SplitMember): number =>
  a.joinedAtMs - b.joinedAtMs || (a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : 0)

/**
 * Everybody's place in the even split: rank = position in order of joining. Depends on the members alone, so a restarted
 * control plane and another replica reckon the same; a newcomer goes to the end, so nobody's rank moves when somebody joins.
 * `heldAgents` keeps the divisor from shrinking: ranks stay unique and below it, and what the missing would get stays unused.
 */
export const evenSplit = (members: Iterable<SplitMember>, heldAgents = 0): Map<string, EvenSplit> => {
  const ordered = [...members].sort(byJoining)
  const agents = Math.max(ordered.length, heldAgents)
  return new Map(ordered.map((member, rank) => [member.instance, { agents, rank }]))
}
