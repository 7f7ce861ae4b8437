import { NativeSelect } from '@mantine/core'
import { AGO, COMPARED_TITLES, type Compared } from '../outcomes/use-then.ts'

interface CompareProps {
  readonly compared: Compared | undefined
  readonly onChange: (compared: Compared | undefined) => void
}

/** Which earlier time is drawn behind the present. */
export const Compare = ({ compared, onChange }: CompareProps) => (
  <NativeSelect
    aria-label="Compare with"
    size="xs"
    w={190}
    data={[
      { value: '', label: 'Compare with nothing' },
      ...Object.keys(AGO).map((name) => ({ value: name, label: `With ${COMPARED_TITLES[name as Compared]}` })),
    ]}
    value={compared ?? ''}
    onChange={({ currentTarget: { value } }) => onChange(value === '1h' || value === '1d' ? value : undefined)}
  />
)
