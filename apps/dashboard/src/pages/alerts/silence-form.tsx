import { Button, Group, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AlertMatchers, CreateSilence, Silence } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { fieldOf, parseField } from '../../format/times.ts'
import { zone } from '../../format/zone.ts'
import { Failure } from '../../ui/states.tsx'
import { MatchersInput } from './matchers.tsx'

const LASTING: readonly { readonly value: string; readonly label: string; readonly ms: number }[] = [
  { value: '1h', label: '1 h', ms: 3_600_000 },
  { value: '4h', label: '4 h', ms: 4 * 3_600_000 },
  { value: '24h', label: '24 h', ms: 86_400_000 },
  { value: 'times', label: 'From, to', ms: 0 },
]

/** A field of whole minutes, so many hours from now. */
const inHours = (hours: number): string => fieldOf(60 * (Math.floor(Date.now() / 60_000) + 60 * hours))

interface SilenceFormProps {
  readonly environment: string
  /** What is chosen at first. */
  readonly matchers: AlertMatchers
  readonly onDone: () => void
}

export const SilenceForm = ({ environment, matchers: first, onDone }: SilenceFormProps) => {
  const client = useQueryClient()
  const [matchers, setMatchers] = useState(first)
  const [lasting, setLasting] = useState('1h')
  const [from, setFrom] = useState(() => inHours(0))
  const [to, setTo] = useState(() => inHours(1))
  const [reason, setReason] = useState('')
  const add = useMutation({
    mutationFn: () => {
      const ms = LASTING.find(({ value }) => value === lasting)?.ms ?? 0
      const times =
        ms === 0
          ? { from: new Date(parseField(from)).toISOString(), to: new Date(parseField(to)).toISOString() }
          : { to: new Date(Date.now() + ms).toISOString() }
      const body: CreateSilence = { matchers, reason, ...times }
      return call<Silence>(url(['environments', environment, 'silences']), { method: 'POST', body })
    },
    onSuccess: onDone,
    onSettled: () => {
      for (const key of ['silences', 'alerts']) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const problem = add.error === null ? null : asProblem(add.error)
  const fields = problem?.fields() ?? {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        <MatchersInput environment={environment} value={matchers} onChange={setMatchers} />
        <SegmentedControl
          aria-label="How long"
          fullWidth
          data={LASTING.map(({ value, label }) => ({ value, label }))}
          value={lasting}
          onChange={setLasting}
        />
        {lasting === 'times' && (
          <Group grow align="flex-start">
            <TextInput
              type="datetime-local"
              label={zone() === 'utc' ? 'From (UTC)' : 'From'}
              value={from}
              error={fields.from}
              onChange={(event) => setFrom(event.currentTarget.value)}
            />
            <TextInput
              type="datetime-local"
              label={zone() === 'utc' ? 'To (UTC)' : 'To'}
              value={to}
              error={fields.to}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
          </Group>
        )}
        <Textarea
          label="Reason"
          withAsterisk
          data-autofocus
          value={reason}
          error={fields.reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending} disabled={reason.trim() === ''}>
            Silence
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
