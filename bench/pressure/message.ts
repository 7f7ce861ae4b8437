/** What the server under pressure tells the bench over its channel. Durations in milliseconds, memory in MB. */
export interface Second {
  type: 'second'
  loopMaxMs: number
  loopP99Ms: number
  rssMb: number
  /** Orders whose work ended, and those of them whose caller had left by then. */
  worked: number
  wasted: number
}
export interface Listening {
  type: 'listening'
  url: string
}
export type Told = Second | Listening
