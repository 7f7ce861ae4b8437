import { PUBLISHED, type Row, TITLES } from './figures.ts'
import type { StageName } from './run.ts'
import { LEAST_MS, MOST_MS } from './table.ts'

const WIDTH = 860
const LEFT = 190
const RIGHT = 40
const LANE = 46
const BAR = 16
const PANEL_GAP = 60
const TOP = 60

const COLOURS = { paid: '#2f7d4f', fallback: '#d9a441', failed: '#b4413c', p95: '#3b6ea8', published: '#444' }

interface Bar {
  readonly share: number
  readonly colour: string
}

const text = (x: number, y: number, what: string, style = ''): string =>
  `<text x="${x}" y="${y}" ${style}>${what}</text>`

/** One panel: a lane for each stage, bars end to end, and a mark where the published figure is. Shares are of the width. */
const panel = (
  top: number,
  title: string,
  lanes: readonly {
    readonly name: string
    readonly bars: readonly Bar[]
    readonly mark: number | null
    readonly label: string
  }[],
): string => {
  const width = WIDTH - LEFT - RIGHT - 110
  const parts = [text(LEFT, top - 14, title, 'font-weight="600"')]
  lanes.forEach(({ name, bars, mark, label }, i) => {
    const y = top + i * LANE
    let x = LEFT
    parts.push(text(LEFT - 12, y + BAR, name, 'text-anchor="end"'))
    for (const { share, colour } of bars) {
      parts.push(
        `<rect x="${x.toFixed(1)}" y="${y + 3}" width="${(share * width).toFixed(1)}" height="${BAR}" fill="${colour}"/>`,
      )
      x += share * width
    }
    if (mark !== null) {
      const at = (LEFT + mark * width).toFixed(1)
      parts.push(
        `<path d="M${at} ${y - 3}v${BAR + 12}" stroke="${COLOURS.published}" stroke-width="2" stroke-dasharray="3 2"/>`,
      )
    }
    parts.push(text(LEFT + width + 14, y + BAR, label))
  })
  return parts.join('\n')
}

const published = (name: string) => PUBLISHED[name as keyof typeof PUBLISHED]

const onLog = (ms: number): number => Math.log(Math.max(LEAST_MS, ms) / LEAST_MS) / Math.log(MOST_MS / LEAST_MS)

/** The five rows: what was answered a second, and the p95 on a logarithmic scale. */
export const plot = (rows: readonly Row[]): string => {
  const most = 1.1 * Math.max(...rows.map(({ rps, fallbacks }) => rps / (1 - fallbacks)))
  const rates = rows.map((row) => {
    const all = row.rps / (1 - row.fallbacks)
    const bars = [
      { share: row.paid / most, colour: COLOURS.paid },
      { share: (all * row.fallbacks) / most, colour: COLOURS.fallback },
      { share: (all * row.errors) / most, colour: COLOURS.failed },
    ]
    const mark = published(row.name) ? published(row.name).rps / most : null
    return { name: TITLES[row.name as StageName], bars, mark, label: `${row.paid.toFixed(1)} paid/s` }
  })
  const tails = rows.map((row) => ({
    name: TITLES[row.name as StageName],
    bars: [{ share: onLog(row.p95), colour: COLOURS.p95 }],
    mark: published(row.name) ? onLog(published(row.name).p95) : null,
    label: `${row.p95.toFixed(0)} ms`,
  }))
  const second = TOP + rows.length * LANE + PANEL_GAP
  const height = second + rows.length * LANE + 10
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>The five stages of the experiment: answers a second, and p95</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${panel(TOP, 'Answers a second: green paid, yellow put off, red failed; dashed: published, all', rates)}
${panel(second, 'p95, answers by fallback left out, logarithmic; dashed: published', tails)}
</svg>
`
}
