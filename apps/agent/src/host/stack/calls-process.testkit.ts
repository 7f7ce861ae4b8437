import { writeSync } from 'node:fs'
import { Weir, WeirRefusal } from '../../index.ts'
import { weirFetch } from '../undici.ts'

/** A host process for tests: `node calls-process.testkit.ts <bootstrap file> <origin that never answers>`. Prints how its calls ended as JSON. */
const [bootstrapFile = '', origin = ''] = process.argv.slice(2)
const unheard = 'http://127.0.0.1:1'

const weir = await Weir.start({ bootstrapFile, snapshotDir: false, telemetry: 'off' })
const ask = (name: string, url = origin) => weirFetch(weir, name)(url)
const word = (error: unknown) =>
  error instanceof WeirRefusal ? error.reason : error instanceof Error ? error.name : ''

// Open, and half-open at once: the next call is its probe.
await ask('probed', unheard).catch(() => undefined)
await new Promise((resolve) => setTimeout(resolve, 5))
const probed = weir.status().dependencies.map(({ breaker }) => breaker)

const calls = [
  ask('running'),
  ask('running', `${origin}/body`).then((response) => response.text()),
  ask('sleeping', unheard),
  ask('hedged'),
  ask('probed'),
  weir.dependency('running').call(() => Promise.reject(new Error('first')), { fallback: () => new Promise(() => {}) }),
]
const ends = Promise.all(calls.map((call) => call.then(() => 'answered', word)))
await new Promise((resolve) => setTimeout(resolve, 200))
const before = weir.status().dependencies.reduce((sum, { inFlight }) => sum + inFlight, 0)
await weir.close()
const settled = await ends
const left = () =>
  process.getActiveResourcesInfo().filter((name) => !/PipeWrap|TTYWrap|FSReq|FileHandle|Timeout/.test(name))
const until = performance.now() + 5_000
while (left().length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
const resources = left()
writeSync(1, JSON.stringify({ probed, before, settled, resources }))
