import type { Alarm } from './alarm.ts'
import type { Books } from './books.ts'
import type { Mishaps } from './mishaps.ts'
import type { Pressure } from './options.ts'
import type { SteadyClock } from './steady-clock.ts'

/** What the rooms of one gate have in common. */
export interface Parts {
  readonly name: string
  readonly clock: SteadyClock
  readonly mishaps: Mishaps
  readonly books: Books
  readonly alarm: Alarm
  readonly pressure: Pressure
}
