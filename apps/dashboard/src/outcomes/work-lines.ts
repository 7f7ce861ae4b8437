import type { Line } from '../charts/lines.ts'

/** The five figures of the contract on one axis. Goodput is the one that matters: solid, filled, in the accent. */
export const workLines = (line: string): Line[] => [
  {
    id: 'completed',
    label: 'completed',
    tone: 'completed',
    line,
    figure: 'completed',
    factor: 'rate',
    area: true,
    width: 2,
  },
  { id: 'offered', label: 'offered', tone: 'offered', line, figure: 'offered', factor: 'rate', dash: [6, 4] },
  { id: 'accepted', label: 'accepted', tone: 'accepted', line, figure: 'accepted', factor: 'rate', dash: [2, 3] },
  { id: 'shed', label: 'shed', tone: 'shed', line, figure: 'shed', factor: 'rate' },
  { id: 'expired', label: 'expired', tone: 'expired', line, figure: 'expired', factor: 'rate', dash: [9, 3, 2, 3] },
]

/** Looks for lines without a tone of their own: the hue repeats after eight, the dash after three, together after 24. */
const DASHES = [undefined, [6, 3], [2, 3]] as const

export const lookOf = (index: number): Pick<Line, 'tone' | 'dash'> => {
  const dash = DASHES[Math.floor(index / 8) % DASHES.length]
  return { tone: `c${(index % 8) + 1}`, ...(dash === undefined ? {} : { dash }) }
}
