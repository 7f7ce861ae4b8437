import type { Agent } from '@weir/api'
import type { AgentFilter } from '../../app/search.ts'

/** Runs on what it found at hand, and the control plane has not told it that this is what was intended. */
export const onFallback = ({ source, connected, appliedRevision, intendedRevision }: Agent): boolean =>
  source !== 'stream' && !(connected && (appliedRevision ?? 0) === intendedRevision)

export const FILTERS: Readonly<Record<AgentFilter, string>> = {
  refused: 'Refused or partly',
  pending: 'Not yet on the intended policy',
  fallback: 'On a fallback',
  override: 'Mode overridden',
  uncounted: 'Outside of what is counted',
  lost: 'Lost',
  ended: 'Ended',
}
