import type { Policy } from '@weir/policy/model'
import { readPolicy } from '@weir/policy/schema'
import { valueAt } from './edit.ts'
import { budgetGroup, DEPENDENCY_GROUPS, type Field, type FieldGroup, GATE_GROUPS } from './fields.ts'

export interface Setting {
  readonly label: string
  readonly value: string
  /** The document says it; else it is the default. */
  readonly told: boolean
}

export interface SettingGroup {
  readonly title: string
  readonly settings: readonly Setting[]
}

export interface Rule {
  /** What the policy names. */
  readonly gates: readonly string[]
  readonly dependencies: readonly string[]
  /** Of the one asked for; `null`: the policy does not name it. */
  readonly groups: readonly SettingGroup[] | null
  /** The quotas that hold at the gate; `null`: it is no gate, or not named. */
  readonly resource: string | null
}

/** Shown also where they are default: without them no refusal can be understood. */
const ALWAYS: ReadonlySet<string> = new Set([
  'mode',
  'concurrency/algorithm',
  'concurrency/initial',
  'queue/maxWaitMs',
  'queue/maxItems',
  'queue/order',
  'deadline/defaultMs',
  'ceiling',
  'timeoutMs',
  'breaker/mode',
  'breaker/failureShare',
  'breaker/minimumVolume',
  'breaker/openMs',
  'retry/maxAttempts',
  'budget/maxTokens',
  'budget/ratio',
  'budget/share',
  'budget/floorPerSecond',
])

const words = (value: unknown, unit: string | undefined): string => {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'number') return String(value)
  return unit === undefined || unit === '0 to 1' ? String(value) : `${value.toLocaleString('en-GB')} ${unit}`
}

/** `concurrency: 20` is short for `{ initial: 20 }`. */
const isTold = (document: unknown, { path }: Field): boolean =>
  valueAt(document, path) !== undefined ||
  (path.join('/') === 'concurrency/initial' && typeof valueAt(document, ['concurrency']) === 'number')

const settingsOf = (group: FieldGroup, policy: unknown, document: unknown): SettingGroup => ({
  title: group.title,
  settings: group.fields
    .map((field) => ({ field, told: isTold(document, field) }))
    .filter(({ field, told }) => told || ALWAYS.has(field.path.join('/')))
    .map(({ field: { path, label, unit }, told }) => ({ label, value: words(valueAt(policy, path), unit), told })),
})

/** What the policy says of one gate or dependency, in words, with the defaults that matter; `null`: the text cannot be read. */
export const ruleOf = (text: string, kind: 'gate' | 'dependency', name: string): Rule | null => {
  const read = readPolicy(text)
  if (!read.ok) return null
  const { policy, document } = read
  const names = { gates: Object.keys(policy.gates), dependencies: Object.keys(policy.dependencies) }
  const item = kind === 'gate' ? policy.gates[name] : policy.dependencies[name]
  if (item === undefined) return { ...names, groups: null, resource: null }
  const said = valueAt(document, [kind === 'gate' ? 'gates' : 'dependencies', name]) ?? {}
  return {
    ...names,
    groups: groupsOf(kind, policy, name)
      .map((group) => settingsOf(group, item, said))
      .filter(({ settings }) => settings.length > 0),
    resource: kind === 'gate' ? (policy.gates[name]?.resource ?? null) : null,
  }
}

const groupsOf = (kind: 'gate' | 'dependency', policy: Policy, name: string): readonly FieldGroup[] =>
  kind === 'gate' ? GATE_GROUPS : [...DEPENDENCY_GROUPS, budgetGroup(policy.dependencies[name]?.budget.kind)]
