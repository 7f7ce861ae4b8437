/** `npm run bench:ingest`: what a point and a span cost, whether memory stays flat, and what becomes of a sender that never stops. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { costs } from './ingest/cost.ts'
import { neverStopping, sustained } from './ingest/load.ts'
import { Plane } from './ingest/plane.ts'

const STORM_S = 20
const USAGE = `npm run bench:ingest [-- --minutes N]

  --minutes N   how long forty instances export each second; default 1, 0 leaves the load and the storm out
`

const read = (): number | null => {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' }, help: { type: 'boolean' } } })
  if (values.help) return null
  const minutes = Number(values.minutes)
  if (!(minutes >= 0 && minutes <= 1_440)) throw new TypeError(`--minutes is 0 to 1440; it is "${values.minutes}".`)
  return minutes
}

const tell = (figures: object): void => {
  for (const [name, value] of Object.entries(figures)) console.log(`  ${name}: ${Number(value.toPrecision(4))}`)
}

const minutes = read()
if (minutes === null) console.log(USAGE)
else {
  const figures: Record<string, number> = { ...(await costs()) }
  tell(figures)
  if (minutes > 0) {
    const folder = await mkdtemp(join(tmpdir(), 'weir-ingest-'))
    const plane = await Plane.start(folder)
    try {
      for (const part of [() => sustained(plane, minutes), () => neverStopping(plane, STORM_S)]) {
        const more = await part()
        tell(more)
        Object.assign(figures, more)
      }
    } finally {
      await plane.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
  const rounded = Object.entries(figures).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000])
  console.log(JSON.stringify({ figures: Object.fromEntries(rounded) }))
}
