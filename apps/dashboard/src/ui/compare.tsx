import { NativeSelect } from '@mantine/core'
import { COMPARED, type Compared } from '../outcomes/earlier.ts'
import { COMPARED_TITLES } from '../outcomes/use-then.ts'

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
      ...COMPARED.map((name) => ({ value: name, label: `With ${COMPARED_TITLES[name]}` })),
    ]}
    value={compared ?? ''}
    onChange={({ currentTarget: { value } }) => onChange(COMPARED.find((name) => name === value))}
  />
)
