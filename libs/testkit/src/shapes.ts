/** A stretch of time in which the offered rate, per second, goes in a straight line. */
export interface Stretch {
  readonly ms: number
  readonly from: number
  readonly to: number
}

/** Offered load over time, whoever answers it and however slowly (open loop). A step is one stretch after another. */
export type Shape = readonly Stretch[]

/** The same rate throughout. */
export const hold = (perSecond: number, ms: number): Stretch => ({ ms, from: perSecond, to: perSecond })

/** From one rate to another. */
export const ramp = (from: number, to: number, ms: number): Stretch => ({ ms, from, to })

export const lengthMs = (shape: Shape): number => shape.reduce((sum, { ms }) => sum + ms, 0)

/** How much work a shape offers on average. */
export const offered = (shape: Shape): number =>
  shape.reduce((sum, { ms, from, to }) => sum + ((from + to) / 2) * (ms / 1_000), 0)
