import type { PolicyIdentity } from '@weir/policy/model'
import type { PolicySource } from '@weir/wire/model'

/** What is in force: where it came from and which it is; a bootstrap file and the built-in policy have no identity. */
export interface Standing {
  readonly source: PolicySource
  readonly identity: PolicyIdentity | null
}

/** `apply`: it is newer or better. `repeat`: the very policy in force. `older`, `lesser`: what is in force stays. */
export type Verdict = 'apply' | 'repeat' | 'older' | 'lesser'

/** Lower is better. Stream and poll bring the control plane's own word over an authenticated connection: equals. */
const RANK: Readonly<Record<PolicySource, number>> = { stream: 0, poll: 0, disk: 1, bootstrap: 2, 'built-in': 3 }

/**
 * The choice between the layers of last resort.
 * A local layer counts only while nothing better is in force. The control plane's word counts unless it is of an earlier revision of the same
 * database; another database id is a restored or moved control plane and starts anew.
 */
export const weigh = (present: Standing, offered: Standing): Verdict => {
  if (RANK[offered.source] > 0) return RANK[offered.source] < RANK[present.source] ? 'apply' : 'lesser'
  const { identity: mine } = present
  const { identity: theirs } = offered
  if (mine === null || theirs === null || mine.databaseId !== theirs.databaseId) return 'apply'
  if (theirs.revision < mine.revision) return 'older'
  return theirs.revision === mine.revision && theirs.hash === mine.hash ? 'repeat' : 'apply'
}
