/** The work that is worth a gate. */
export const report = async (month: string): Promise<{ month: string; orders: number }> => ({ month, orders: 12 })

/** A service that listens. */
export interface Running {
  readonly port: number
  close(): Promise<unknown>
}
