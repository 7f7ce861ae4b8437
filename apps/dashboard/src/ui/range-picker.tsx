import { Button, Group, Popover, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { IconCalendarTime } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { fieldOf, moment, parseField } from '../format/times.ts'
import { zone } from '../format/zone.ts'
import { RANGES, type Range, type RangeName, type RangeSearch } from '../outcomes/range.ts'
import ui from './ui.module.css'

interface RangePickerProps {
  readonly range: Range
  /** Bucket of what is drawn, seconds. */
  readonly step: number
  readonly onChange: (search: RangeSearch) => void
}

const LABELS: Record<RangeName, string> = { '15m': '15 min', '1h': '1 h', '6h': '6 h', '24h': '24 h', '7d': '7 d' }

/** Which time is shown: a range up to now, or two times. The choice lives in the URL. */
export const RangePicker = ({ range, step, onChange }: RangePickerProps) => (
  <Group gap="xs">
    <span className={ui.points}>
      {range.live ? '' : `${moment(range.from * 1000)} to ${moment(range.to * 1000)}, `}
      one point = {step === 1 ? '1 second' : step === 60 ? '1 minute' : `${step} seconds`}
    </span>
    <SegmentedControl
      size="xs"
      aria-label="Time range"
      value={range.live ? range.name : ''}
      data={Object.keys(RANGES).map((name) => ({ value: name, label: LABELS[name as RangeName] }))}
      onChange={(name) => onChange({ range: name as RangeName })}
    />
    <CustomRange range={range} onChange={onChange} />
  </Group>
)

const CustomRange = ({ range, onChange }: Pick<RangePickerProps, 'range' | 'onChange'>) => {
  const [opened, setOpened] = useState(false)
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <Button
          size="xs"
          variant={range.live ? 'default' : 'light'}
          leftSection={<IconCalendarTime size={14} />}
          onClick={() => setOpened(!opened)}
        >
          {range.live ? 'Custom' : 'Custom range'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <CustomForm
          range={range}
          onChange={(search) => {
            setOpened(false)
            onChange(search)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

const CustomForm = ({ range, onChange }: Pick<RangePickerProps, 'range' | 'onChange'>) => {
  const now = Math.floor(Date.now() / 1000)
  const [from, setFrom] = useState(fieldOf(range.live ? now - range.seconds : range.from))
  const [to, setTo] = useState(fieldOf(range.live ? now : range.to))
  const backwards = !(parseField(from) < parseField(to))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!backwards)
      onChange({ from: new Date(parseField(from)).toISOString(), to: new Date(parseField(to)).toISOString() })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          type="datetime-local"
          step={1}
          label={zone() === 'utc' ? 'From (UTC)' : 'From'}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          step={1}
          label={zone() === 'utc' ? 'To (UTC)' : 'To'}
          value={to}
          error={backwards ? 'The end must be after the beginning.' : undefined}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button type="submit" size="xs">
          Show
        </Button>
      </Stack>
    </form>
  )
}
