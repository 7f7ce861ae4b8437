import type { Sample } from './fleet.ts'
import type { Scene } from './scenes.ts'

const WIDTH = 960
/** For the name of the last scene. */
const RIGHT = 20
const HEIGHT = 300
const LEFT = 48
const TOP = 36
const BOTTOM = 28
/** One of so many samples is drawn. */
const THINNED = 2
const STEPS = [0, 0.25, 0.5, 0.75, 1]

/** A run as an image: what could be put to use, what may be used at most, and what happened when. */
export const plot = (samples: readonly Sample[], scenes: readonly Scene[]): string => {
  const endMs = samples.at(-1)?.atMs ?? 1
  const x = (ms: number) => LEFT + (ms / endMs) * (WIDTH - LEFT - 8)
  const y = (share: number) => TOP + (1.05 - share) * ((HEIGHT - TOP - BOTTOM) / 1.05)
  const line = (of: (sample: Sample) => number, color: string) => {
    const points = samples
      .filter((_, i) => i % THINNED === 0)
      .map((sample) => `${x(sample.atMs).toFixed(1)},${y(of(sample)).toFixed(1)}`)
    return `<polyline fill="none" stroke="${color}" stroke-width="1.5" points="${points.join(' ')}"/>`
  }
  const grid = STEPS.map(
    (share) =>
      `<line x1="${LEFT}" x2="${WIDTH - 8}" y1="${y(share)}" y2="${y(share)}" stroke="#ccc"/><text x="${LEFT - 6}" y="${y(share) + 4}" text-anchor="end">${share * 100} %</text>`,
  )
  const marks = scenes.map(
    ({ name, fromMs }, i) =>
      `<line x1="${x(fromMs)}" x2="${x(fromMs)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" stroke="#999" stroke-dasharray="3 3"/><text x="${x(fromMs) + 3}" y="${HEIGHT - BOTTOM - 6 - (i % 2) * 14}">${name}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + RIGHT} ${HEIGHT}" font-family="sans-serif" font-size="11" fill="#444">`,
    '<title>Shares of fleet-wide quotas over a simulated run</title>',
    `<rect width="${WIDTH + RIGHT}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="18" fill="#c0392b">largest share of a quota that may be used, of all quotas</text>`,
    `<text x="${LEFT + 330}" y="18" fill="#2471a3">put to use, of what could be at best, mean of all quotas</text>`,
    ...grid,
    ...marks,
    line(({ peak }) => peak, '#c0392b'),
    line(({ mean }) => mean, '#2471a3'),
    `<text x="${WIDTH - 8}" y="${HEIGHT - 8}" text-anchor="end">${Math.round(endMs / 1_000)} s</text>`,
    '</svg>',
    '',
  ].join('\n')
}
