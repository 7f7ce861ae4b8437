/** Connection lost or refused, server starting or stopping, out of connections (SQLSTATE classes 08, 57P, 53). */
const SQL_STATES = /^(08...|57P..|53...)$/
/** Prisma: not reachable, timed out, closed, no connection from the pool, no transaction in time. */
const PRISMA_CODES = /^P(1001|1002|1008|1017|2024|2028)$/
const SOCKET_CODES = /^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
const DRIVER_KINDS = /^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections)$/
const POOL_WORDS = /timeout exceeded when trying to connect|Connection terminated|Unable to start a transaction/

/** Whether an error means that the database is away, not that the request was wrong: the same request may work later. */
export const isDatabaseAway = (error: unknown, depth = 0): boolean => {
  if (error === null || typeof error !== 'object' || depth > 4) return false
  const { code, kind, severity, message, meta, cause, driverAdapterError } = error as Record<string, unknown>
  if (severity === 'FATAL') return true
  const text = typeof code === 'string' ? code : ''
  if (SQL_STATES.test(text) || PRISMA_CODES.test(text) || SOCKET_CODES.test(text)) return true
  if (typeof kind === 'string' && DRIVER_KINDS.test(kind)) return true
  if (typeof message === 'string' && POOL_WORDS.test(message)) return true
  return [meta, cause, driverAdapterError].some((inner) => isDatabaseAway(inner, depth + 1))
}
