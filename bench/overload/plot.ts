import type { Curves, Result } from './result.ts'
import type { Side } from './run.ts'

const WIDTH = 460
const HEIGHT = 190
const GAP = { left: 66, top: 66, between: 44 }
const TOTAL = { width: GAP.left + 2 * WIDTH + GAP.between + 16, height: GAP.top + 2 * HEIGHT + 96 }

const STYLE = `svg { --ink: #1c2430; --dim: #556070; --line: #d5dae1; --paper: #ffffff; --good: #1f7a4d; --wait: #b07a00; --bad: #b3261e; --held: #f3f5f8; background: var(--paper) }
    @media (prefers-color-scheme: dark) { svg { --ink: #e8ecf2; --dim: #a7b1bf; --line: #38424f; --paper: #14181f; --good: #63c795; --wait: #e0b050; --bad: #ff8a80; --held: #1f2630 } }
    text { fill: var(--ink) } .dim { fill: var(--dim); font-size: 12px } .head { font-weight: 600 } .grid { stroke: var(--line) } .held { fill: var(--held) }
    path { fill: none; stroke-width: 2 } .offered { stroke: var(--dim); stroke-dasharray: 5 4; stroke-width: 1.5 } .good { stroke: var(--good) } .refused { stroke: var(--wait) } .lost { stroke: var(--bad) } .deadline { stroke: var(--bad); stroke-dasharray: 2 3; stroke-width: 1 }`

const LEGEND = [
  ['offered', 'offered'],
  ['good', 'done well, in time'],
  ['refused', 'refused'],
  ['lost', 'failed, or its caller left'],
] as const

interface Scale {
  readonly y: (value: number) => number
  readonly ticks: readonly (readonly [value: number, text: string])[]
}

/** Square roots, so that one and ten times the capacity are both legible. */
const rates = (capacity: number, highest: number): Scale => {
  const top = Math.max(1.5, (1.05 * highest) / capacity)
  const ticks = [0, 0.2, 1, 2, 5, 10].filter((times) => times <= top)
  return {
    y: (value) => HEIGHT * (1 - Math.sqrt(Math.max(0, value / capacity) / top)),
    ticks: ticks.map((times) => [times * capacity, `${times} x`] as const),
  }
}

const times = (patienceMs: number): Scale => ({
  y: (value) => HEIGHT * (1 - Math.min(1, value / (1.1 * patienceMs))),
  ticks: [0, 0.25, 0.5, 0.75, 1].map((share) => [share * patienceMs, `${share * patienceMs} ms`] as const),
})

const line = (values: readonly (number | null)[], y: (value: number) => number): string => {
  let pen = 'M'
  return values
    .map((value, i) => {
      if (value === null) {
        pen = 'M'
        return ''
      }
      const point = `${pen}${((WIDTH * (i + 0.5)) / values.length).toFixed(1)} ${y(value).toFixed(1)}`
      pen = 'L'
      return point
    })
    .join('')
}

const panel = (
  at: readonly [x: number, y: number],
  scale: Scale,
  held: string,
  lines: readonly string[],
  labels: boolean,
) => `
  <g transform="translate(${at[0]} ${at[1]})">${held}
    ${scale.ticks.map(([value, text]) => `<path class="grid" style="stroke-width: 1" d="M0 ${scale.y(value).toFixed(1)}H${WIDTH}"/>${labels ? `<text class="dim" x="-8" y="${(scale.y(value) + 4).toFixed(1)}" text-anchor="end">${text}</text>` : ''}`).join('')}
    ${lines.join('\n    ')}
  </g>`

const axis = (seconds: number): string =>
  Array.from({ length: Math.floor(seconds / 5) + 1 }, (_, i) => {
    const x = (WIDTH * 5 * i) / seconds
    return `<text class="dim" x="${x.toFixed(1)}" y="${HEIGHT + 18}" text-anchor="middle">${5 * i}${i === 0 ? ' s' : ''}</text>`
  }).join('')

/** A scenario without and with Weir beside each other, on one scale. */
export const plot = ({ title, capacity, sides }: Result): string => {
  const all = Object.values(sides)
  const scale = rates(capacity, Math.max(...all.flatMap(({ curves }) => curves.offered)))
  const side = (name: Side, column: number): string => {
    const { curves, hold, patienceMs } = sides[name]
    const waits = times(patienceMs)
    const seconds = (curves.offered.length * curves.stepMs) / 1_000
    const x = GAP.left + column * (WIDTH + GAP.between)
    const [from, to] = hold.map((ms) => (WIDTH * ms) / 1_000 / seconds) as [number, number]
    const held = `<rect class="held" x="${from.toFixed(1)}" width="${(to - from).toFixed(1)}" height="${HEIGHT}"/>`
    const draw = (name: keyof Omit<Curves, 'stepMs'>, css: string, { y }: Scale) =>
      `<path class="${css}" d="${line(curves[name], y)}"/>`
    const flows = (['offered', 'refused', 'lost', 'good'] as const).map((name) => draw(name, name, scale))
    const deadline = `<path class="deadline" d="M0 ${waits.y(patienceMs).toFixed(1)}H${WIDTH}"/>`
    const below = GAP.top + HEIGHT + 34
    return `
  <text class="head" x="${x}" y="${GAP.top - 12}">${name === 'with' ? 'With Weir' : 'Without'}</text>${panel([x, GAP.top], scale, held, flows, column === 0)}${panel([x, below], waits, held, [deadline, draw('p99Ms', 'good', waits), axis(seconds)], column === 0)}
  <text class="dim" x="${x + 6}" y="${below + 14}">slowest hundredth of what was done; dotted: callers leave</text>`
  }
  const legend = LEGEND.map(
    ([css, text], i) =>
      `<path class="${css}" d="M${GAP.left + i * 190} ${TOTAL.height - 14}h24"/><text class="dim" x="${GAP.left + i * 190 + 30}" y="${TOTAL.height - 10}">${text}</text>`,
  ).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${TOTAL.width} ${TOTAL.height}" role="img" aria-label="${title}: without and with Weir" font-family="system-ui, sans-serif" font-size="14">
  <style>
    ${STYLE}
  </style>
  <text class="head" x="${GAP.left}" y="26">${title}</text>
  <text class="dim" x="${TOTAL.width - 16}" y="26" text-anchor="end">in times the capacity, ${capacity.toFixed(0)} a second (square-root scale); shaded: the overload is held</text>${side('without', 0)}${side('with', 1)}
  ${legend}
</svg>
`
}
