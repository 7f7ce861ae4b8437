import type pg from 'pg'

/** Rolls back and gives the connection up where anything fails. */
export const inTransaction = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((fault: Error) => {
      broken = fault
    })
    throw error
  } finally {
    client.release(broken)
  }
}
