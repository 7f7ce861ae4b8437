import { type Alert, alertRuleNameSchema, severitySchema } from '@weir/api'
import type { Prisma } from '../../generated/prisma/client.ts'

export const WITH_SERVICE = { service: { select: { name: true, environment: { select: { name: true } } } } } as const
export type AlertRow = Prisma.AlertGetPayload<{ include: typeof WITH_SERVICE }>

export const alertOf = (row: AlertRow): Alert => ({
  id: row.id,
  service: row.service.name,
  rule: alertRuleNameSchema.parse(row.rule),
  subject: row.subject,
  severity: severitySchema.parse(row.severity),
  state: row.state === 'firing' ? 'firing' : 'resolved',
  summary: row.summary,
  figures: row.figures as Record<string, number>,
  value: row.value,
  worst: row.worst,
  threshold: row.threshold,
  forSeconds: row.forSeconds,
  silenced: false,
  raisedAt: row.raisedAt.toISOString(),
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
})
