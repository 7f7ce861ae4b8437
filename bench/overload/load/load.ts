import { child, ended, heard } from '../children.ts'
import type { Done, GeneratorSays, Plan, Progress, Records, Started } from './plan.ts'

export interface Loading {
  /** Machine time of the plan's start. */
  readonly startMs: number
  readonly records: Promise<Records>
}

/** Plays a plan in a generator process of its own. */
export const load = async (plan: Plan, progress: (said: Progress) => void): Promise<Loading> => {
  const generator = child('load/generator.ts', 'load', null)
  generator.on('message', (said: GeneratorSays) => {
    if (said.type === 'progress') progress(said)
  })
  const done = heard<Done>(generator, 'done')
  const started = heard<Started>(generator, 'started')
  generator.send(plan)
  const { startMs } = await started
  const records = done.then(({ records }) => records).finally(() => ended(generator))
  records.catch(() => undefined)
  return { startMs, records }
}
