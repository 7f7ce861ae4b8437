import type { Decision } from '@weir/api'
import { DEPENDENCY_REASONS, GATE_REASONS } from '@weir/wire/model'
import type { PageRequest, Rows } from '../paging.ts'
import { done, type Result, refused } from '../result.ts'
import type { DecisionFilter, DecisionPlace, DecisionStore } from './decision-store.ts'

type Rules = Readonly<Record<string, { readonly rule: string | null }>>
const RULES: Readonly<Record<Decision['kind'], Rules>> = { gate: GATE_REASONS, dependency: DEPENDENCY_REASONS }

/** The setting that decides for a reason; `null`: none, or the reason is one of a newer agent's. */
const ruleOf = (kind: Decision['kind'], reason: string): string | null =>
  Object.hasOwn(RULES[kind], reason) ? (RULES[kind][reason]?.rule ?? null) : null

/** Answers why something was refused. */
export class DecisionsService {
  readonly #store: DecisionStore

  constructor(store: DecisionStore) {
    this.#store = store
  }

  async list(filter: DecisionFilter, page: PageRequest<DecisionPlace>): Promise<Result<Rows<Decision>>> {
    const { from, to } = filter
    if (from !== undefined && to !== undefined && !(Date.parse(to) > Date.parse(from))) {
      const message = 'The range ends before it begins.'
      return refused('invalid', message, [{ path: 'to', message }])
    }
    const { items, more } = await this.#store.list(filter, page)
    return done({
      items: items.map(({ environment: _, ...decision }) => ({
        ...decision,
        rule: ruleOf(decision.kind, decision.reason),
      })),
      more,
    })
  }
}
