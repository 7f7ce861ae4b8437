import type { PolicyVersion } from '@weir/api'
import type { Policy } from '@weir/policy/model'
import type { StoredVersion } from '../../features/policies/policy-store.ts'
import type { PolicyVersion as Row } from '../../generated/prisma/client.ts'

export const formatOf = (format: string): 'yaml' | 'json' => (format === 'json' ? 'json' : 'yaml')

export const versionOf = (row: Row): PolicyVersion => ({
  version: row.version,
  revision: row.revision,
  document: row.document,
  format: formatOf(row.format),
  author: row.author,
  reason: row.reason,
  createdAt: row.createdAt.toISOString(),
  rolledBackTo: row.rolledBackTo,
})

export const storedVersion = (row: Row): StoredVersion => ({
  ...versionOf(row),
  policy: JSON.parse(row.policy) as Policy,
})
