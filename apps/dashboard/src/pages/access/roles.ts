import type { Role } from '@weir/api'

export const ROLE_CHOICES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: may look' },
  { value: 'editor', label: 'editor: may also publish' },
  { value: 'admin', label: 'admin: may also manage access' },
]

export const roleOf = (value: string | null): Role => ROLE_CHOICES.find((one) => one.value === value)?.value ?? 'viewer'
