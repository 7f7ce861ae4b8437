import type { AlertChange, AlertKey } from '../../features/alerts/alert-book.ts'
import { MOST_WAITING } from '../../features/notifications/outbox.ts'
import { Prisma } from '../../generated/prisma/client.ts'
import { noteFiring, noteResolved } from './alert-deliveries.ts'
import { type AlertRow, WITH_SERVICE } from './alert-row.ts'
import type { Transaction } from './database.ts'

/** Rows of one statement. */
const ROWS = 500

type Raise = Extract<AlertChange, { kind: 'raise' }>
type Worse = Extract<AlertChange, { kind: 'worse' }>
type Resolve = Extract<AlertChange, { kind: 'resolve' }>

/** Writes changes in their order, and what receivers are to be told of them. Returns the alerts that changed. A whole fleet changes in a few statements. */
export const writeChanges = async (tx: Transaction, changes: readonly AlertChange[]): Promise<AlertRow[]> => {
  const written: AlertRow[] = []
  for (const wave of waves(changes)) {
    const raised = await raise(
      tx,
      wave.filter((change) => change.kind === 'raise'),
    )
    const worse = await worsen(
      tx,
      wave.filter((change) => change.kind === 'worse'),
    )
    const resolved = await resolve(
      tx,
      wave.filter((change) => change.kind === 'resolve'),
    )
    written.push(
      ...(await tx.alert.findMany({
        where: { id: { in: [...raised, ...worse, ...resolved] } },
        include: WITH_SERVICE,
      })),
    )
    if (raised.length > 0) await noteFiring(tx, Prisma.sql`a.id = ANY(${raised}::uuid[])`)
    if (resolved.length > 0) await noteResolved(tx, resolved)
  }
  await dropOldest(tx)
  return written
}

const keyText = ({ serviceId, rule, subject }: AlertKey): string => `${serviceId}\n${rule}\n${subject}`

/** Cut where a key comes again: within a wave the order does not matter. */
const waves = (changes: readonly AlertChange[]): AlertChange[][] => {
  const cut: AlertChange[][] = []
  let seen = new Set<string>()
  for (const change of changes) {
    const text = keyText(change.key)
    const wave = cut.at(-1)
    if (wave === undefined || seen.has(text) || wave.length >= ROWS) {
      cut.push([change])
      seen = new Set([text])
    } else {
      wave.push(change)
      seen.add(text)
    }
  }
  return cut
}

/** The unique index decides; an alert that fires already is left as it is. */
const raise = async (tx: Transaction, changes: readonly Raise[]): Promise<string[]> => {
  const data = changes.map(({ key, at, kind: _, value, figures, ...rest }) => ({
    ...key,
    ...rest,
    figures: { ...figures },
    value,
    worst: value,
    state: 'firing',
    raisedAt: at,
  }))
  if (data.length === 0) return []
  const rows = await tx.alert.createManyAndReturn({ data, skipDuplicates: true, select: { id: true } })
  return rows.map(({ id }) => id)
}

/** Columns of the keys, for `unnest`. */
const columns = (changes: readonly AlertChange[]) => ({
  services: changes.map(({ key }) => key.serviceId),
  rules: changes.map(({ key }) => key.rule as string),
  subjects: changes.map(({ key }) => key.subject),
})

const worsen = async (tx: Transaction, changes: readonly Worse[]): Promise<string[]> => {
  if (changes.length === 0) return []
  const { services, rules, subjects } = columns(changes)
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE alert a SET peak_share = c.value
    FROM unnest(${services}::uuid[], ${rules}::text[], ${subjects}::text[], ${changes.map(({ value }) => value)}::float8[]) AS c (service, rule, subject, value)
    WHERE a.service_id = c.service AND a.rule = c.rule AND a.subject = c.subject AND a.state = 'firing' RETURNING a.id`
  return rows.map(({ id }) => id)
}

const resolve = async (tx: Transaction, changes: readonly Resolve[]): Promise<string[]> => {
  if (changes.length === 0) return []
  const { services, rules, subjects } = columns(changes)
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE alert a SET state = 'resolved', resolved_at = c.at
    FROM unnest(${services}::uuid[], ${rules}::text[], ${subjects}::text[], ${changes.map(({ at }) => at)}::timestamptz[]) AS c (service, rule, subject, at)
    WHERE a.service_id = c.service AND a.rule = c.rule AND a.subject = c.subject AND a.state = 'firing' RETURNING a.id`
  return rows.map(({ id }) => id)
}

/** Of what waits for a receiver the newest are kept. */
const dropOldest = async (tx: Transaction): Promise<void> => {
  await tx.$executeRaw`
    WITH waiting AS (
      SELECT receiver_id, alert_id, row_number() OVER (PARTITION BY receiver_id ORDER BY created_at DESC, alert_id) AS place
      FROM alert_delivery WHERE want IS DISTINCT FROM told),
    gone AS (DELETE FROM alert_delivery d USING waiting w
      WHERE w.place > ${MOST_WAITING} AND d.receiver_id = w.receiver_id AND d.alert_id = w.alert_id RETURNING d.receiver_id)
    UPDATE alert_receiver r SET dropped = dropped + c.n FROM (SELECT receiver_id, count(*)::int AS n FROM gone GROUP BY 1) c WHERE r.id = c.receiver_id`
}
