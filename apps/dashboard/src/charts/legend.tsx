import { NOTHING } from '../format/numbers.ts'
import classes from './chart.module.css'
import type { Line } from './lines.ts'

interface LegendProps {
  readonly lines: readonly Line[]
  readonly hidden: ReadonlySet<string>
  readonly onToggle: (id: string) => void
}

/** A sample of the line as it is drawn: colour and dash. */
const Swatch = ({ line }: { line: Pick<Line, 'tone' | 'dash' | 'area' | 'width'> }) => (
  <svg className={classes.swatch} width="22" height="10" aria-hidden="true">
    {line.area === true && <rect x="0" y="4" width="22" height="6" fill={`var(--w-${line.tone})`} opacity="0.2" />}
    <line
      x1="0"
      x2="22"
      y1="4.5"
      y2="4.5"
      stroke={`var(--w-${line.tone})`}
      strokeWidth={Math.max(2, line.width ?? 2)}
      strokeDasharray={line.dash?.join(' ')}
    />
  </svg>
)

/** Names, looks and values of the lines; a click hides a line. The values are written by the chart at every frame. */
export const Legend = ({ lines, hidden, onToggle }: LegendProps) => (
  <ul className={classes.legend}>
    {lines.map((line) => (
      <li key={line.id}>
        <button
          type="button"
          className={classes.entry}
          aria-pressed={!hidden.has(line.id)}
          title={hidden.has(line.id) ? `Show ${line.label}` : `Hide ${line.label}`}
          onClick={() => onToggle(line.id)}
        >
          <Swatch line={line} />
          <span className={classes.label}>{line.label}</span>
          <span className={classes.value} data-value>
            {NOTHING}
          </span>
        </button>
      </li>
    ))}
  </ul>
)
