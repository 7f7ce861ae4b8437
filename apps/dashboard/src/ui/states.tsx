import { Alert, Button, Skeleton, Stack } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { asProblem } from '../api/problem.ts'
import classes from './ui.module.css'

/** Nothing there, said with what to do about it. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <div className={classes.empty}>
    <p className={classes.emptyTitle}>{title}</p>
    {children !== undefined && <div className={classes.emptyText}>{children}</div>}
    {action !== undefined && <div>{action}</div>}
  </div>
)

/** A failed request in the server's words, with every field that it names. */
export const Failure = ({ error, retry }: { error: unknown; retry?: () => void }) => {
  const { problem } = asProblem(error)
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} title={problem.title} role="alert">
      {problem.detail !== undefined && <p className={classes.failureText}>{problem.detail}</p>}
      {(problem.errors?.length ?? 0) > 0 && (
        <ul className={classes.failureList}>
          {problem.errors?.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path === '' ? 'document' : path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {retry !== undefined && (
        <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={retry} mt="xs">
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** The shape of what is coming, so that nothing jumps when it arrives. */
export const Loading = ({ rows = 5, height = 36 }: { rows?: number; height?: number }) => (
  <Stack gap="xs" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => row).map((row) => (
      <Skeleton key={row} height={height} radius="sm" />
    ))}
  </Stack>
)

/** No answer at all: the banner of the page says so once, not every panel of it. */
export const isAway = (error: unknown): boolean => asProblem(error).status === 0

interface QueryLike<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

/** Loading, failed or there. What was read before stays on screen when reading it again fails: the failure is said above it. */
export const Ready = <T,>(props: {
  query: QueryLike<T>
  loading?: ReactNode
  children: (data: T) => ReactNode
}): ReactNode => {
  const { query, loading, children } = props
  if (query.data === undefined)
    return query.error == null ? (
      (loading ?? <Loading />)
    ) : (
      <Failure error={query.error} retry={() => void query.refetch()} />
    )
  return (
    <>
      {query.error != null && !isAway(query.error) && (
        <Failure error={query.error} retry={() => void query.refetch()} />
      )}
      {children(query.data)}
    </>
  )
}
