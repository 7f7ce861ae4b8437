/** `npm run bench:pressure`: one real service under autocannon at several times its capacity, with a gate and without. */
import { type Measured, PATIENCE_S, run } from './pressure/run.ts'

const TIMES = [0.8, 2, 5, 10]
const SECONDS = 15
const CONNECTIONS = 1_000

const { goodput: capacity } = await run('bare', { connections: 12, seconds: 5 })
console.log(`Capacity ${capacity.toFixed(0)} orders/s; callers give up after ${PATIENCE_S} s; ${SECONDS} s a row.\n`)

const columns: readonly (readonly [string, (row: Measured) => number])[] = [
  ['good/s', ({ goodput }) => goodput],
  ['of capacity', ({ goodput }) => (100 * goodput) / capacity],
  ['p99 ms', ({ p99Ms }) => p99Ms],
  ['refused/s', ({ refused }) => refused],
  ['p99 of refusals', ({ refusalP99Ms }) => refusalP99Ms],
  ['gave up/s', ({ gaveUp }) => gaveUp],
  ['for nobody/s', ({ wasted }) => wasted],
  ['loop p99 ms', ({ loopP99Ms }) => loopP99Ms],
  ['loop max ms', ({ loopMaxMs }) => loopMaxMs],
  ['memory MB', ({ rssMb }) => rssMb],
]
const cell = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '-')
console.log(`${'offered'.padEnd(16)}${columns.map(([title]) => title.padStart(title.length + 2)).join('')}`)

const figures: Record<string, number> = { capacity: Math.round(capacity) }
for (const times of TIMES)
  for (const kind of ['bare', 'weir'] as const) {
    const row = await run(kind, { connections: CONNECTIONS, seconds: SECONDS, rate: Math.round(times * capacity) })
    const cells = columns.map(([title, of]) => cell(of(row)).padStart(title.length + 2))
    console.log(`${`${times} x, ${kind}`.padEnd(16)}${cells.join('')}`)
    const name = `${kind}_${times}x`
    figures[`goodput_${name}`] = Math.round((1_000 * row.goodput) / capacity) / 1_000
    figures[`loop_p99_ms_${name}`] = Math.round(row.loopP99Ms)
    figures[`memory_mb_${name}`] = Math.round(row.rssMb)
  }
console.log(JSON.stringify({ figures }))
