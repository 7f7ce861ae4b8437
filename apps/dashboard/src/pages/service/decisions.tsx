import { Button, NativeSelect } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Decision } from '@weir/api'
import { useState } from 'react'
import { fetchDecisions } from '../../api/figures.ts'
import { useHub } from '../../app/live.tsx'
import { plural } from '../../format/numbers.ts'
import { timeOfDay } from '../../format/times.ts'
import { decisionSentence, inputsOf, settingOf } from '../../outcomes/decision-words.ts'
import { boundsOf, isoOf, rangeKey } from '../../outcomes/range.ts'
import { reasonTitle } from '../../outcomes/reasons.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Loading, Ready } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'
import classes from './decisions.module.css'
import { askedOf, type Stage } from './stage.ts'
import type { Change } from './use-stage.ts'

/** Refusals this far around a moment that somebody asks about, seconds: a bucket of sparse telemetry and its neighbours. */
const AROUND = 15
const MOST = 30
/** So many at first: a reason is seen in a few, and what stands below is not pushed away. */
const FEW = 6
const AGAIN_MS = 10_000

interface DecisionsProps {
  readonly stage: Stage
  /** The moment, seconds; `null`: the time shown. */
  readonly at: number | null
  readonly reason: string | null
  readonly onChange: Change
}

/** Why work was refused: sampled decisions, each with the rule that decided and everything that it read. */
export const Decisions = ({ stage, at, reason, onChange }: DecisionsProps) => {
  const { environment, service, subject, range } = stage
  const hub = useHub()
  const [all, setAll] = useState(false)
  const live = at === null && range.live
  const query = useQuery({
    queryKey: ['decisions', environment, service, subject, at, reason, rangeKey(range)],
    queryFn: ({ signal }) => {
      const { from, to } =
        at === null ? boundsOf(range, hub.serverSecond + 1) : { from: at - AROUND, to: at + AROUND + 1 }
      const asked = { ...askedOf(stage), reason, from: isoOf(from), to: isoOf(to), limit: MOST }
      return fetchDecisions(environment, asked, signal)
    },
    refetchInterval: live ? AGAIN_MS : false,
  })
  const items = query.data?.items ?? []
  return (
    <Panel
      id="decisions"
      title={at === null ? 'Why was it refused' : `Why was it refused at ${timeOfDay(at * 1_000)}`}
      hint="A sample of the refusals, the newest first, with the setting that decided and all that it read."
      actions={
        <div className={classes.actions}>
          <ReasonChoice items={items} reason={reason} onChange={onChange} />
          {at !== null && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconX size={14} />}
              onClick={() => onChange({}, ['at', 'why'])}
            >
              All of the time shown
            </Button>
          )}
        </div>
      }
    >
      <Ready query={query} loading={<Loading rows={3} />}>
        {() =>
          items.length === 0 ? (
            query.error === null && <NoneSampled at={at} />
          ) : (
            <>
              <ul className={classes.list} aria-label="Sampled refusals">
                {items.slice(0, all ? MOST : FEW).map((decision) => (
                  <One key={decision.id} decision={decision} environment={environment} />
                ))}
              </ul>
              {items.length > FEW && !all && (
                <Button size="xs" variant="default" mt="xs" onClick={() => setAll(true)}>
                  Show all {items.length}
                </Button>
              )}
            </>
          )
        }
      </Ready>
    </Panel>
  )
}

const NoneSampled = ({ at }: Pick<DecisionsProps, 'at'>) => (
  <Empty title={at === null ? 'No refusal was sampled in this time' : 'No refusal was sampled around that moment'}>
    <p>
      Refusals are kept for 24 hours. Where the curves show shed work and nothing is here, its agents send no spans.
    </p>
  </Empty>
)

const ReasonChoice = ({
  items,
  reason,
  onChange,
}: { items: readonly Decision[] } & Pick<DecisionsProps, 'reason' | 'onChange'>) => {
  const reasons = [...new Set([...items.map((one) => one.reason), ...(reason === null ? [] : [reason])])].sort()
  if (reasons.length < 2 && reason === null) return null
  return (
    <NativeSelect
      size="xs"
      w={220}
      aria-label="Reason"
      data={[{ value: '', label: 'All reasons' }, ...reasons.map((value) => ({ value, label: reasonTitle(value) }))]}
      value={reason ?? ''}
      onChange={({ currentTarget: { value } }) => (value === '' ? onChange({}, ['why']) : onChange({ why: value }))}
    />
  )
}

const One = ({ decision, environment }: { decision: Decision; environment: string }) => {
  const { at, service, instance, kind, name, class: klass, tenant, route, revision, standsFor, signal } = decision
  const setting = settingOf(decision)
  const who = [tenant && `tenant ${tenant}`, klass && `class ${klass}`, route].filter(Boolean).join(', ')
  return (
    <li>
      <details className={classes.one}>
        <summary>
          <span className={classes.time}>{timeOfDay(at)}</span>
          <span>
            <span className={classes.sentence}>{decisionSentence(decision)}</span>
            <span className={classes.who}>
              {name} in {instance}
              {who !== '' && `, ${who}`}
              {standsFor > 1 && `, stands for ${plural(Math.round(standsFor), 'refusal')}`}
            </span>
          </span>
        </summary>
        <dl className={classes.inputs}>
          {inputsOf(decision).map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <p className={ui.hint}>
          {setting !== null && (
            <>
              Decided by <code>{setting}</code>
              {revision !== null && ` of revision ${revision}`}.{' '}
              <Link
                to="/e/$environment/s/$service/policy"
                params={{ environment, service }}
                search={kind === 'gate' ? { gate: name } : { dependency: name }}
                className={ui.link}
              >
                Open the policy
              </Link>
              {'. '}
            </>
          )}
          {signal !== null && `The caller was told: ${signal}.`}
        </p>
      </details>
    </li>
  )
}
