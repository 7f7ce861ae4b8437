import type { Agent } from '@weir/api'
import { expect, it } from 'vitest'
import { onFallback } from './filter.ts'

const AGENT = { source: 'stream', connected: true, intendedRevision: 3, appliedRevision: 3 } as Agent

it('a policy from disk is a fallback only until the control plane has confirmed it', () => {
  const on = (over: Partial<Agent>) => onFallback({ ...AGENT, ...over })
  expect([
    on({}),
    on({ source: 'disk' }),
    on({ source: 'disk', appliedRevision: 2 }),
    on({ source: 'built-in', appliedRevision: null, intendedRevision: 0 }),
    on({ source: 'poll', connected: false }),
  ]).toEqual([false, false, true, false, true])
})
