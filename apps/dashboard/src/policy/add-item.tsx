import { Button, Group, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { nameSchema } from '@weir/policy/schema'
import { type FormEvent, useState } from 'react'

interface AddItemProps {
  /** `gate` or `dependency`. */
  readonly one: string
  readonly taken: readonly string[]
  readonly seen: readonly string[]
  readonly onAdd: (name: string) => void
}

/** Names an item of the policy; those that running agents already use are offered. */
export const AddItem = ({ one, taken, seen, onAdd }: AddItemProps) => {
  const [name, setName] = useState('')
  const [error, setError] = useState<string | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const result = nameSchema.safeParse(name)
    const problem = taken.includes(name)
      ? `There is a ${one} of that name already.`
      : (result.error?.issues[0]?.message ?? null)
    setError(problem)
    if (problem !== null) return
    onAdd(name)
    setName('')
  }
  const offered = seen.filter((known) => !taken.includes(known)).slice(0, 8)
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-start" mt="xs">
        <TextInput
          size="xs"
          aria-label={`Name of a new ${one}`}
          placeholder={`name of the ${one}`}
          value={name}
          error={error}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setError(null)
          }}
        />
        <Button type="submit" size="xs" variant="default" leftSection={<IconPlus size={14} />} disabled={name === ''}>
          Add {one}
        </Button>
        {offered.map((known) => (
          <Button key={known} size="xs" variant="light" onClick={() => onAdd(known)}>
            Add {known}, seen in agents
          </Button>
        ))}
      </Group>
    </form>
  )
}
