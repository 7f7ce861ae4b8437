/** The decision code by itself, for those who run it on a clock of their own: nothing here knows a socket, a file or the real time. */
export { Gate, type GateSettings } from './admission/gate.ts'
export { Resources } from './admission/resource.ts'
export type { Entry, Permit, Refusal, Work } from './admission/work.ts'
export type { Runtime } from './core/clock.ts'
export type { FigureSink } from './core/figures.ts'
export { Signals } from './signals/signals.ts'
