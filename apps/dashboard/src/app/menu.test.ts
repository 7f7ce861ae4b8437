import type { Verdict } from '@weir/api'
import { describe, expect, it } from 'vitest'
import { menuOf } from './menu.ts'

const one = (
  name: string,
  verdict: Verdict['verdict'],
  over: { openAlerts?: number; refused?: number; heardAt?: null } = {},
) =>
  ({
    verdict,
    heardAt: over.heardAt === null ? null : '2026-01-01T00:00:00Z',
    service: { name, openAlerts: over.openAlerts ?? 0, agents: { refused: over.refused ?? 0 } },
  }) as Verdict
const names = (verdicts: readonly Verdict[]) => verdicts.map(({ service }) => service.name)

describe('the menu of services', () => {
  it('begins with what needs attention in the order of the server, and has the others by name', () => {
    const items = [
      one('z', 'collapse'),
      one('gone', 'silent'),
      one('b', 'shedding'),
      one('rings', 'healthy', { openAlerts: 1 }),
      one('no', 'healthy', { refused: 2 }),
      one('y', 'healthy'),
      one('x', 'healthy'),
      one('new', 'silent', { heardAt: null }),
    ]
    const menu = menuOf({ items, found: 500 }, 20)
    expect(names(menu.urgent)).toEqual(['z', 'gone', 'b', 'rings', 'no'])
    expect(names(menu.others)).toEqual(['new', 'x', 'y'])
    expect(menu.more).toBe(492)
  })

  it('is bounded, the worst stay', () => {
    const menu = menuOf({ items: [one('b', 'collapse'), one('a', 'healthy'), one('c', 'healthy')], found: 3 }, 2)
    expect([names(menu.urgent), names(menu.others), menu.more]).toEqual([['b'], ['a'], 1])
  })
})
