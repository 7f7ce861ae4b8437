import { NumberInput, Select, Switch, TextInput } from '@mantine/core'
import type { Field } from './fields.ts'

interface FieldInputProps {
  readonly field: Field
  /** What the document says; undefined where it says nothing. */
  readonly value: unknown
  readonly error: string | undefined
  readonly disabled: boolean
  /** `undefined` takes the setting out of the document: the default holds again. */
  readonly onChange: (value: unknown) => void
}

const standardText = ({ standard, kind }: Field): string => {
  if (standard === null) return 'not set'
  if (kind === 'switch') return standard === true ? 'default: on' : 'default: off'
  return `default: ${standard}`
}

/** One setting: its words, its unit, its default as the placeholder, and what is wrong with it beneath. */
export const FieldInput = ({ field, value, error, disabled, onChange }: FieldInputProps) => {
  const shared = {
    label: field.label,
    error,
    disabled,
    ...(field.help === undefined ? {} : { description: field.help }),
  }
  if (field.kind === 'switch')
    return (
      <Switch
        {...shared}
        checked={typeof value === 'boolean' ? value : field.standard === true}
        onChange={(event) =>
          onChange(event.currentTarget.checked === field.standard ? undefined : event.currentTarget.checked)
        }
      />
    )
  if (field.kind === 'choice')
    return (
      <Select
        {...shared}
        size="xs"
        clearable
        data={[...(field.choices ?? [])]}
        placeholder={standardText(field)}
        value={typeof value === 'string' && field.choices?.includes(value) === true ? value : null}
        onChange={(next) => onChange(next ?? undefined)}
      />
    )
  if (field.kind === 'text')
    return (
      <TextInput
        {...shared}
        size="xs"
        placeholder={standardText(field)}
        value={typeof value === 'string' ? value : ''}
        onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      />
    )
  return (
    <NumberInput
      {...shared}
      size="xs"
      hideControls
      placeholder={standardText(field)}
      rightSection={field.unit === undefined ? undefined : <span style={{ fontSize: 11 }}>{field.unit}</span>}
      rightSectionWidth={field.unit === undefined ? undefined : 54}
      value={typeof value === 'number' ? value : ''}
      onChange={(next) => {
        if (next === '') onChange(undefined)
        else if (typeof next === 'number' && Number.isFinite(next)) onChange(next)
      }}
    />
  )
}
