import { MultiSelect, Stack } from '@mantine/core'
import type { AlertMatchers, AlertRuleName, Severity } from '@weir/api'
import { ALERT_SEVERITY_TEXTS, ALERT_TEXTS } from '@weir/api/alert-texts'
import { useServiceNames } from '../../ui/use-service-names.ts'

export const ANY: AlertMatchers = { services: [], rules: [], severities: [] }

interface MatchersProps {
  readonly environment: string
  readonly value: AlertMatchers
  readonly onChange: (value: AlertMatchers) => void
}

const RULES = Object.entries(ALERT_TEXTS).map(([value, { title }]) => ({ value, label: title }))
const SEVERITIES = Object.keys(ALERT_SEVERITY_TEXTS)

/** Which alerts are meant; nothing chosen is any. */
export const MatchersInput = ({ environment, value, onChange }: MatchersProps) => {
  const { names, ...searching } = useServiceNames(environment)
  return (
    <Stack gap="sm">
      <MultiSelect
        label="Services"
        placeholder={value.services.length === 0 ? 'Any' : undefined}
        searchable
        {...searching}
        clearable
        data={[...new Set([...names, ...value.services])]}
        value={value.services}
        onChange={(next) => onChange({ ...value, services: next })}
      />
      <MultiSelect
        label="Rules"
        placeholder={value.rules.length === 0 ? 'Any' : undefined}
        searchable
        clearable
        data={RULES}
        value={value.rules}
        onChange={(next) => onChange({ ...value, rules: next as AlertRuleName[] })}
      />
      <MultiSelect
        label="Severities"
        placeholder={value.severities.length === 0 ? 'Any' : undefined}
        clearable
        data={SEVERITIES}
        value={value.severities}
        onChange={(next) => onChange({ ...value, severities: next as Severity[] })}
      />
    </Stack>
  )
}

/** The same in words. */
export const matchersText = ({ services, rules, severities }: AlertMatchers): string => {
  const parts = [
    severities.length === 0 ? null : severities.join(' or '),
    rules.length === 0 ? null : rules.map((rule) => ALERT_TEXTS[rule].title.toLowerCase()).join(' or '),
    services.length === 0 ? null : `of ${services.join(', ')}`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'every alert' : parts.join(', ')
}
