import type { Runtime } from './clock.ts'

/** Hands an internal fault to the error sink; a sink that throws itself is not heard, for nothing may reach the host. */
export const report = (runtime: Runtime, error: unknown, where: string): void => {
  try {
    runtime.onError(error, where)
  } catch {}
}
