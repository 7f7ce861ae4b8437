import type { Consumer } from '../../consumer/consumer.ts'

/** How often a broker is asked for its oldest message, milliseconds. */
const EVERY_MS = 2_500

/**
 * Asks the broker for the age of its oldest waiting message, milliseconds, again and again, one question at a time. A broker that has not answered by the
 * next turn is not there. Returns the way to stop.
 */
export const measuring = (consumer: Consumer, oldestAgeMs: () => Promise<number>): (() => void) => {
  let asking = false
  let stopped = false
  const ask = async () => {
    if (asking) {
      consumer.connected(false)
      return
    }
    asking = true
    try {
      const ageMs = await oldestAgeMs()
      if (stopped) return
      consumer.connected(true)
      consumer.measured(ageMs)
    } catch (error) {
      if (stopped) return
      consumer.connected(false)
      consumer.fault(error)
    } finally {
      asking = false
    }
  }
  const timer = setInterval(() => void ask(), EVERY_MS).unref()
  void ask()
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
