import { Alert, Button, Group, Loader, Stack } from '@mantine/core'
import { IconAlertTriangle, IconEqual, IconRefresh, IconTrendingDown, IconTrendingUp } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Finding, Forecast } from '@weir/api'
import type { ReactNode } from 'react'
import { call, url } from '../api/client.ts'
import { ApiProblem, asProblem } from '../api/problem.ts'
import { count } from '../format/numbers.ts'
import { State } from '../ui/state.tsx'
import ui from '../ui/ui.module.css'
import { formatOf } from './changes.tsx'
import classes from './policy.module.css'

interface Wanted {
  readonly environment: string
  readonly service: string
  readonly document: string
}

/** One is made at a time: while another operator's is, ours asks again. */
const BUSY = 429
const TRIES = 10
const AGAIN_MS = 2_000
/** The same text a moment later has the same forecast. */
const FRESH_MS = 60_000

const useForecast = ({ environment, service, document }: Wanted) =>
  useQuery({
    queryKey: ['forecast', environment, service, document],
    queryFn: async ({ signal }) =>
      (
        await call<Forecast>(url(['environments', environment, 'services', service, 'policy', 'forecast']), {
          method: 'POST',
          body: { document, format: formatOf(document) },
          signal,
        })
      ).data,
    staleTime: FRESH_MS,
    retry: (failures, error) => failures < TRIES && error instanceof ApiProblem && error.status === BUSY,
    retryDelay: AGAIN_MS,
  })

/** What the draft would have done to the last hour's traffic. Tells and warns; never stands in the way of publishing. */
export const ForecastOf = (wanted: Wanted) => {
  const forecast = useForecast(wanted)
  return (
    <section aria-label="Predicted effect on the last hour">
      <p className={classes.noticeTitle}>Predicted effect on the last hour</p>
      {forecast.data !== undefined && <Told forecast={forecast.data} />}
      {forecast.isPending && (
        <Group gap="xs" role="status">
          <Loader size={14} />
          <span className={ui.hint}>The last hour is played against this draft…</span>
        </Group>
      )}
      {forecast.isError && (
        <Group gap="xs" role="status">
          <span className={ui.hint}>
            No prediction: {asProblem(forecast.error).message} Publishing does not depend on it.
          </span>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            onClick={() => void forecast.refetch()}
          >
            Try again
          </Button>
        </Group>
      )}
    </section>
  )
}

const Told = ({ forecast }: { forecast: Forecast }) => {
  if (forecast.state === 'no-traffic')
    return (
      <p className={ui.hint}>
        Too little work was offered in the last hour to predict anything. What the draft does will show once it is
        published.
      </p>
    )
  const warns = forecast.findings.some(({ tone }) => tone === 'warning')
  return (
    <Stack gap="xs">
      {warns && (
        <Alert
          color="red"
          variant="light"
          icon={<IconAlertTriangle />}
          title="This draft would shed much more than the policy in force"
          role="alert"
        >
          Played against the work of the last hour. Publish it only if that is what you want.
        </Alert>
      )}
      <ul className={classes.changes}>
        {forecast.findings.map((finding) => (
          <Found key={finding.sentence} finding={finding} />
        ))}
      </ul>
      <p className={ui.hint}>{basis(forecast)}</p>
    </Stack>
  )
}

const LOOKS = {
  warning: { tone: 'bad', icon: <IconAlertTriangle size={15} />, word: 'warning' },
  worse: { tone: 'warn', icon: <IconTrendingDown size={15} />, word: 'worse' },
  better: { tone: 'good', icon: <IconTrendingUp size={15} />, word: 'better' },
  same: { tone: 'dim', icon: <IconEqual size={15} />, word: 'same' },
} as const satisfies Record<Finding['tone'], { tone: string; icon: ReactNode; word: string }>

const Found = ({ finding }: { finding: Finding }) => {
  const { tone, icon, word } = LOOKS[finding.tone]
  return (
    <li className={classes.change}>
      <State tone={tone} icon={icon}>
        {word}
      </State>
      <span>{finding.sentence}</span>
    </li>
  )
}

const basis = ({ draft, caveats }: Forecast): string =>
  [
    `${count(draft?.arrivals ?? 0)} pieces of recorded work were played through the agent's own gates, under this draft and under the policy in force.`,
    ...caveats,
  ].join(' ')
