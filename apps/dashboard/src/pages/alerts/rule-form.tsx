import { Button, Group, NumberInput, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AlertRule, AlertRuleName, AlertRulesDocument, AlertRulesState, Severity } from '@weir/api'
import { ALERT_SEVERITY_TEXTS, ALERT_TEXTS } from '@weir/api/alert-texts'
import { type FormEvent, useState } from 'react'
import { type Answer, call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { Failure } from '../../ui/states.tsx'
import { useServiceNames } from '../../ui/use-service-names.ts'
import { settingsOf, shown, typed, unitWord } from './rule-settings.ts'

interface RuleFormProps {
  readonly environment: string
  readonly name: AlertRuleName
  readonly answer: Answer<AlertRulesState>
  readonly onDone: () => void
}

/** For every service. */
const ALL = ''
const labelOf = (service: string): string => (service === ALL ? 'Every service' : `Only ${service}`)

const ruleAt = ({ rules, services }: AlertRulesDocument, name: AlertRuleName, service: string): AlertRule =>
  ({ ...rules[name], ...(service === ALL ? {} : services[service]?.[name]) }) as AlertRule

const withRule = (document: AlertRulesDocument, name: AlertRuleName, service: string, rule: AlertRule | null) => {
  if (service === ALL) return rule === null ? document : { ...document, rules: { ...document.rules, [name]: rule } }
  const { [name]: _, ...others } = document.services[service] ?? {}
  return {
    ...document,
    services: { ...document.services, [service]: rule === null ? others : { ...others, [name]: rule } },
  }
}

export const RuleForm = ({ environment, name, answer, onDone }: RuleFormProps) => {
  const client = useQueryClient()
  const { document } = answer.data
  const [service, setService] = useState(ALL)
  const { names, ...searching } = useServiceNames(environment, labelOf(service))
  const [rule, setRule] = useState<AlertRule>(ruleAt(document, name, ALL))
  const [reason, setReason] = useState('')
  const save = useMutation({
    mutationFn: (next: AlertRule | null) =>
      call(url(['environments', environment, 'alert-rules']), {
        method: 'PUT',
        ...(answer.etag === null ? {} : { ifMatch: answer.etag }),
        body: { document: withRule(document, name, service, next), reason },
      }),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['alert-rules'] }),
  })
  const problem = save.error === null ? null : asProblem(save.error)
  const base = service === ALL ? `document.rules.${name}` : `document.services.${service}.${name}`
  const errorOf = (field: string) => problem?.fields()[`${base}.${field}`]
  const set = (change: Partial<AlertRule> | Record<string, number>) =>
    setRule((before) => ({ ...before, ...change }) as AlertRule)
  const choose = (chosen: string | null) => {
    setService(chosen ?? ALL)
    setRule(ruleAt(document, name, chosen ?? ALL))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(rule)
  }
  const hasOwn = service !== ALL && document.services[service]?.[name] !== undefined
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        <Select
          label="For"
          searchable
          {...searching}
          allowDeselect={false}
          value={service}
          data={[
            { value: ALL, label: labelOf(ALL) },
            ...[...new Set([...names, ...(service === ALL ? [] : [service])])].map((name) => ({
              value: name,
              label: labelOf(name),
            })),
          ]}
          onChange={choose}
        />
        <Switch
          label="Judged"
          checked={rule.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <LoudnessAndTime rule={rule} errorOf={errorOf} onChange={set} />
        <OwnSettings name={name} rule={rule} errorOf={errorOf} onChange={set} />
        <OwnRunbook rule={rule} errorOf={errorOf} onChange={set} />
        <Textarea
          label="Reason"
          withAsterisk
          value={reason}
          error={problem?.fields().reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          {hasOwn && (
            <Button
              variant="default"
              loading={save.isPending}
              disabled={reason.trim() === ''}
              onClick={() => save.mutate(null)}
            >
              As for every service
            </Button>
          )}
          <Button type="submit" loading={save.isPending} disabled={reason.trim() === ''}>
            Save rule
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface PartProps {
  readonly rule: AlertRule
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (change: Partial<AlertRule>) => void
}

const LoudnessAndTime = ({ rule, errorOf, onChange: set }: PartProps) => (
  <Group grow align="flex-start">
    <Select
      label="Severity"
      allowDeselect={false}
      value={rule.severity}
      data={Object.entries(ALERT_SEVERITY_TEXTS).map(([value, label]) => ({
        value,
        label: `${value}: ${label.toLowerCase()}`,
      }))}
      onChange={(value) => value !== null && set({ severity: value as Severity })}
    />
    <NumberInput
      label="Must hold for"
      suffix=" s"
      hideControls
      value={rule.forSeconds}
      error={errorOf('forSeconds')}
      onChange={(value) => typeof value === 'number' && set({ forSeconds: value })}
    />
  </Group>
)

const OwnRunbook = ({ rule, errorOf, onChange: set }: PartProps) => (
  <TextInput
    label="Runbook of yours"
    description="Where people are sent. Without one: the built-in runbook."
    placeholder="https://wiki.example/runbooks/…"
    value={rule.runbook ?? ''}
    error={errorOf('runbook')}
    onChange={(event) => {
      const { value } = event.currentTarget
      set({ runbook: value === '' ? undefined : value })
    }}
  />
)

const OwnSettings = (props: {
  name: AlertRuleName
  rule: AlertRule
  errorOf: (field: string) => string | undefined
  onChange: (change: Record<string, number>) => void
}) => (
  <Group grow align="flex-start">
    {Object.entries(settingsOf(props.name, props.rule)).map(([key, value]) => {
      const { label, unit } = ALERT_TEXTS[props.name].settings[key] ?? { label: key, unit: 'share' }
      return (
        <NumberInput
          key={key}
          label={label}
          suffix={` ${unitWord[unit]}`}
          hideControls
          value={shown(unit, value)}
          error={props.errorOf(key)}
          onChange={(next) => typeof next === 'number' && props.onChange({ [key]: typed(unit, next) })}
        />
      )
    })}
  </Group>
)
