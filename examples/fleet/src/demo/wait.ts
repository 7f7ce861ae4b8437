import { setTimeout as pause } from 'node:timers/promises'

/** Asks until the answer is something, or fails with a sentence after `timeoutMs`. */
export const until = async <T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs: number,
  everyMs = 100,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs
  let last: unknown
  while (performance.now() < deadline) {
    try {
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer
    } catch (error) {
      last = error
    }
    await pause(everyMs)
  }
  throw new Error(
    `Waited ${timeoutMs / 1_000} s in vain for ${what}${last instanceof Error ? `: ${last.message}` : ''}.`,
  )
}
