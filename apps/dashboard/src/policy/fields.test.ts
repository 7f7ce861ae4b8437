import { policySchema } from '@weir/policy/schema'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { setAt } from './edit.ts'
import { budgetGroup, DEPENDENCY_GROUPS, type Field, GATE_GROUPS, TENANT_FIELDS } from './fields.ts'

const sample = ({ kind, choices, path, standard }: Field): unknown => {
  if (kind === 'choice') return choices?.[0]
  if (kind === 'switch') return true
  if (kind === 'text') return 'shared'
  if (path.at(-1) === 'close') return 1
  if (path.at(-1) === 'open') return 2
  return typeof standard === 'number' ? standard : 1
}
const document = (prefix: string[], fields: readonly Field[]) => {
  const text = fields.reduce((before, field) => setAt(before, [...prefix, ...field.path], sample(field)), '')
  return policySchema.safeParse(parse(text))
}

describe('the fields of the form', () => {
  it('are settings that the schema knows, every one of them', () => {
    const gates = document(
      ['gates', 'a'],
      GATE_GROUPS.flatMap(({ fields }) => fields).filter(({ path }) => !path.includes('ceiling')),
    )
    const dependencies = document(
      ['dependencies', 'b'],
      DEPENDENCY_GROUPS.flatMap(({ fields }) => fields),
    )
    const tenants = document(['tenants'], TENANT_FIELDS)
    for (const result of [gates, dependencies, tenants]) expect(result.error?.issues ?? []).toEqual([])
  })

  it('show the settings of the chosen budget', () => {
    expect(budgetGroup('ratio').fields[0]?.path).toEqual(['budget', 'share'])
    expect(budgetGroup(undefined)).toBe(budgetGroup('token-bucket'))
  })
})
