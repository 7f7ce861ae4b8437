import { Prisma } from '../../generated/prisma/client.ts'
import type { Transaction } from './database.ts'

/** Whether a silence holds back the alert `a` of the service `s` now. */
export const SILENCED = Prisma.sql`EXISTS (
  SELECT 1 FROM alert_silence x WHERE x.environment_id = s.environment_id AND x.starts_at <= now() AND x.ends_at > now()
    AND alert_meant(x.services, x.rules, x.severities, s.name, a.rule, a.severity))`

/** Notes alerts `a` that fire for receivers `r` that they are meant for and that have not heard of them. What is silenced is held back from the first moment. */
export const noteFiring = (tx: Transaction, which: Prisma.Sql): Promise<number> => tx.$executeRaw`
  INSERT INTO alert_delivery (receiver_id, alert_id, want, held)
  SELECT r.id, a.id, 'firing', ${SILENCED}
  FROM alert a JOIN service s ON s.id = a.service_id JOIN alert_receiver r ON r.environment_id = s.environment_id
  WHERE ${which} AND a.state = 'firing' AND alert_meant(r.services, r.rules, r.severities, s.name, a.rule, a.severity)
  ON CONFLICT DO NOTHING`

/** What a receiver knows to fire waits to be told from now on, however long it fired. */
export const noteResolved = (tx: Transaction, alertIds: readonly string[]): Promise<number> => tx.$executeRaw`
  UPDATE alert_delivery SET want = 'resolved', created_at = CASE WHEN told IS NULL THEN created_at ELSE now() END
  WHERE alert_id = ANY(${[...alertIds]}::uuid[])`
