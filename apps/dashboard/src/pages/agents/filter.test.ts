import type { Agent } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { chosenAgents, gateSums } from './filter.ts'

const agent = (instance: string, over: Partial<Agent> = {}): Agent => ({
  service: 'orders',
  instance,
  zone: null,
  host: 'h1',
  pid: 1,
  agentVersion: '0.1.0',
  modeOverride: null,
  presence: 'live',
  connected: true,
  intendedRevision: 3,
  appliedRevision: 3,
  status: 'applied',
  refused: [],
  source: 'stream',
  startedAt: '2026-01-01T00:00:00Z',
  lastHeardAt: '2026-01-01T00:00:00Z',
  gates: [],
  dependencies: [],
  consumers: [],
  uncounted: false,
  ...over,
})
const names = (agents: Agent[]) => agents.map(({ instance }) => instance)

describe('the list of agents', () => {
  it('begins with refusals and overrides, and leaves ended ones out', () => {
    const all = [
      agent('fine'),
      agent('gone', { presence: 'ended' }),
      agent('forced', { modeOverride: 'off' }),
      agent('no', { status: 'refused' }),
    ]
    expect(names(chosenAgents(all, undefined, ''))).toEqual(['no', 'forced', 'fine'])
    expect(names(chosenAgents(all, 'ended', ''))).toEqual(['gone'])
  })

  it('finds by any word of the row, and by state', () => {
    const all = [
      agent('a', { host: 'Berlin-1' }),
      agent('b', { source: 'disk', connected: false }),
      agent('c', { status: 'partly' }),
    ]
    expect(names(chosenAgents(all, undefined, 'berlin'))).toEqual(['a'])
    expect(names(chosenAgents(all, 'fallback', ''))).toEqual(['b'])
    expect(names(chosenAgents(all, 'refused', ''))).toEqual(['c'])
  })

  it('counts a policy from disk as a fallback only until the control plane confirmed it', () => {
    const on = (over: Partial<Agent>) => chosenAgents([agent('a', over)], 'fallback', '').length
    expect([
      on({ source: 'disk' }),
      on({ source: 'disk', appliedRevision: 2 }),
      on({ source: 'built-in', appliedRevision: null, intendedRevision: 0 }),
      on({ source: 'poll', connected: false }),
    ]).toEqual([0, 1, 0, 1])
  })

  it('sums limits over live processes only', () => {
    const gate = {
      name: 'in',
      mode: 'enforce' as const,
      limit: 20,
      active: 5,
      zombies: 1,
      waiting: 2,
      oldestAgeMs: 0,
      level: 0,
    }
    const sums = gateSums([
      agent('a', { gates: [gate] }),
      agent('b', { gates: [gate] }),
      agent('c', { gates: [gate], presence: 'lost' }),
    ])
    expect(sums).toEqual([{ service: 'orders', name: 'in', processes: 2, limit: 40, active: 12, waiting: 4 }])
  })
})
