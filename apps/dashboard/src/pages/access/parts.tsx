import { Alert, Button, Code, CopyButton, Group, Modal, Stack } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Page } from '@weir/api'
import { type ReactNode, useState } from 'react'
import { call, get, url } from '../../api/client.ts'
import { Failure } from '../../ui/states.tsx'

/** A list by cursor, a page at a time. */
export const usePages = <T,>(segments: readonly string[], enabled = true) =>
  useInfiniteQuery({
    queryKey: ['access', ...segments],
    queryFn: ({ signal, pageParam }) => get<Page<T>>(url(segments, { limit: 100, cursor: pageParam }), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<T>) => page.next,
    enabled,
  })

export const More = ({
  query,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}) =>
  query.hasNextPage ? (
    <Button
      size="xs"
      variant="default"
      mt="sm"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      Show more
    </Button>
  ) : null

/** A secret is shown once: there is no way to see it again, and the page says so. */
export const Secret = ({ secret, what, children }: { secret: string; what: string; children?: ReactNode }) => (
  <Alert color="accent" variant="light" title={`Copy the ${what} now: it is not shown again`}>
    <Stack gap="xs">
      <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {secret}
      </Code>
      <Group>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      {children}
    </Stack>
  </Alert>
)

interface RevokeProps {
  readonly segments: readonly string[]
  /** What is lost by it, for the question. */
  readonly question: string
  readonly verb: string
  readonly label: string
  /** Key of the queries that are read again. */
  readonly refresh?: string
}

/** Asks before something is taken away for good. */
export const Revoke = ({ segments, question, verb, label, refresh = 'access' }: RevokeProps) => {
  const [opened, setOpened] = useState(false)
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => call(url(segments), { method: 'DELETE' }),
    onSuccess: async () => {
      setOpened(false)
      await client.invalidateQueries({ queryKey: [refresh] })
    },
  })
  return (
    <>
      <Button size="compact-xs" variant="default" aria-label={label} onClick={() => setOpened(true)}>
        {verb}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={label}>
        <Stack>
          {revoke.error !== null && <Failure error={revoke.error} />}
          <p style={{ margin: 0 }}>{question}</p>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpened(false)}>
              Keep it
            </Button>
            <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
