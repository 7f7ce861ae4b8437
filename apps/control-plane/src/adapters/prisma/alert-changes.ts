import type { AlertChange, AlertKey } from '../../features/alerts/alert-book.ts'
import { type AlertRow, WITH_SERVICE } from './alert-row.ts'
import type { Transaction } from './database.ts'

/** Writes one change; `null` where there was nothing to change. */
export const writeChange = async (tx: Transaction, change: AlertChange): Promise<AlertRow | null> => {
  if (change.kind === 'raise') return raise(tx, change)
  const data = change.kind === 'worse' ? { worst: change.value } : { state: 'resolved', resolvedAt: change.at }
  const [row] = await tx.alert.updateManyAndReturn({ where: firing(change.key), data, include: WITH_SERVICE })
  return row ?? null
}

const firing = ({ serviceId, rule, subject }: AlertKey) => ({ serviceId, rule, subject, state: 'firing' })

/** The unique index decides; an alert that fires already is left as it is. */
const raise = async (tx: Transaction, change: Extract<AlertChange, { kind: 'raise' }>): Promise<AlertRow | null> => {
  const { key, at, kind: _, value, ...rest } = change
  const data = { ...key, ...rest, figures: { ...rest.figures }, value, worst: value, state: 'firing', raisedAt: at }
  const [made] = await tx.alert.createManyAndReturn({ data: [data], skipDuplicates: true, select: { id: true } })
  return made === undefined ? null : tx.alert.findUniqueOrThrow({ where: { id: made.id }, include: WITH_SERVICE })
}
