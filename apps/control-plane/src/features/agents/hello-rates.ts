import { MessageRate } from '../live/message-rate.ts'
import type { AgentBounds } from './agent-bounds.ts'

/** How many hellos each key may still send. */
export class HelloRates {
  private readonly rates = new Map<string, MessageRate>()

  constructor(private readonly bounds: Pick<AgentBounds, 'hellosPerSecond' | 'helloBurst'>) {}

  take(keyId: string, nowMs: number): boolean {
    const { hellosPerSecond, helloBurst } = this.bounds
    const rate = this.rates.get(keyId) ?? new MessageRate(hellosPerSecond, (helloBurst * 1000) / hellosPerSecond)
    this.rates.set(keyId, rate)
    return rate.take(nowMs)
  }

  forget(keyId: string): void {
    this.rates.delete(keyId)
  }

  /** Forgets those of which forgetting changes nothing. */
  tidy(nowMs: number): void {
    for (const [keyId, rate] of this.rates) if (rate.isFull(nowMs)) this.rates.delete(keyId)
  }
}
