import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { plural } from '../format/numbers.ts'
import { State } from '../ui/state.tsx'
import type { Located, Span } from './check.ts'
import classes from './policy.module.css'

/** All that is wrong, with where; choosing one leads to its line. */
export const Problems = ({ problems, onJump }: { problems: readonly Located[]; onJump: (span: Span) => void }) => (
  <div className={classes.problems} aria-live="polite">
    {problems.length === 0 ? (
      <State tone="good" icon={<IconCircleCheck size={15} />}>
        No problems
      </State>
    ) : (
      <>
        <State tone="bad" icon={<IconAlertTriangle size={15} />}>
          {plural(problems.length, 'problem')}
        </State>
        <ol className={classes.problemList}>
          {problems.map((problem) => (
            <li key={`${problem.path} ${problem.message} ${problem.line}`}>
              <button type="button" className={classes.problem} onClick={() => onJump(problem.span)}>
                <span className={classes.problemLine}>line {problem.line}</span>
                <span>
                  {problem.path !== '' && <code>{problem.path}</code>} {problem.message}
                </span>
              </button>
            </li>
          ))}
        </ol>
      </>
    )}
  </div>
)
