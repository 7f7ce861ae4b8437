import type { Result } from '../../features/result.ts'
import type { Database, Transaction } from './database.ts'

/** Publishers of one service queue on its row; one that waits longer than this is told so. */
const WAIT_MS = 10_000
const TIMEOUT_MS = 30_000

class RolledBack extends Error {
  readonly refusal: Result<never>
  constructor(refusal: Result<never>) {
    super('rolled back')
    this.refusal = refusal
  }
}

/** Runs `work` in one transaction; a refusal undoes everything that it wrote. */
export const transact = async <T>(
  database: Database,
  work: (tx: Transaction) => Promise<Result<T>>,
): Promise<Result<T>> => {
  try {
    return await database.prisma.$transaction(
      async (tx) => {
        const result = await work(tx)
        if (!result.ok) throw new RolledBack(result)
        return result
      },
      { maxWait: WAIT_MS, timeout: TIMEOUT_MS },
    )
  } catch (error) {
    if (error instanceof RolledBack) return error.refusal
    throw error
  }
}
