import { Button, Group, Modal, Stack, Tabs, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PolicyState, PolicyVersion, Published } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { type Answer, call, url } from '../../api/client.ts'
import { asProblem } from '../../api/problem.ts'
import { useRole } from '../../app/role.ts'
import { moment } from '../../format/times.ts'
import { ChangesOf } from '../../policy/changes.tsx'
import classes from '../../policy/policy.module.css'
import { TextDiff } from '../../policy/text-diff.tsx'
import { Failure } from '../../ui/states.tsx'
import ui from '../../ui/ui.module.css'

interface VersionModalProps {
  readonly environment: string
  readonly service: string
  readonly version: PolicyVersion | null
  readonly policy: Answer<PolicyState> | undefined
  readonly onClose: () => void
}

export const VersionModal = (props: VersionModalProps) => (
  <Modal
    opened={props.version !== null}
    onClose={props.onClose}
    size="xl"
    title={props.version === null ? '' : `Version ${props.version.version}`}
  >
    {props.version !== null && <Version {...props} version={props.version} />}
  </Modal>
)

type Chosen = VersionModalProps & { readonly version: PolicyVersion }

const Version = (props: Chosen) => {
  const { environment, service, version, policy } = props
  const { canEdit } = useRole()
  const current = policy?.data.published ?? null
  const isCurrent = current?.version === version.version
  return (
    <Stack>
      <p className={ui.hint}>
        {version.author}, {moment(version.createdAt)}: {version.reason}
      </p>
      <Tabs defaultValue="document">
        <Tabs.List>
          <Tabs.Tab value="document">Document</Tabs.Tab>
          {!isCurrent && current !== null && <Tabs.Tab value="words">Rolling back would</Tabs.Tab>}
          {!isCurrent && current !== null && <Tabs.Tab value="lines">Line by line</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="document" pt="sm">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre className={classes.diff} style={{ padding: 10 }} tabIndex={0}>
            {version.document}
          </pre>
        </Tabs.Panel>
        {current !== null && !isCurrent && (
          <>
            <Tabs.Panel value="words" pt="sm">
              <ChangesOf
                environment={environment}
                service={service}
                document={version.document}
                against={current.version}
              />
            </Tabs.Panel>
            <Tabs.Panel value="lines" pt="sm">
              <p className={ui.hint}>
                Minus: version {current.version}, in force. Plus: version {version.version}.
              </p>
              <TextDiff before={current.document} after={version.document} label="Difference line by line" />
            </Tabs.Panel>
          </>
        )}
      </Tabs>
      {canEdit && !isCurrent && policy !== undefined && <RollBack {...props} policy={policy} />}
    </Stack>
  )
}

const RollBack = ({ environment, service, version, policy, onClose }: Chosen & { policy: Answer<PolicyState> }) => {
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const rollBack = useMutation({
    mutationFn: () =>
      call<Published>(url(['environments', environment, 'services', service, 'policy', 'rollback']), {
        method: 'POST',
        ...(policy.etag === null ? {} : { ifMatch: policy.etag }),
        body: { version: version.version, reason },
      }),
    onSuccess: ({ data }) => {
      onClose()
      notifications.show({
        title: `Rolled back to version ${version.version}`,
        message: `It is in force as version ${data.version}, revision ${data.revision}.`,
      })
    },
    onSettled: () => {
      for (const key of ['policy', 'versions', 'service', 'verdicts', 'agents'])
        void client.invalidateQueries({ queryKey: [key] })
    },
  })
  const problem = rollBack.error === null ? null : asProblem(rollBack.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rollBack.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {problem !== null && <Failure error={problem} />}
        {problem?.status === 412 && (
          <p className={ui.hint}>
            Somebody else published meanwhile. The list is new now: look at it and decide again.
          </p>
        )}
        <Textarea
          label="Reason for rolling back"
          required
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          error={problem?.fields().reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={rollBack.isPending} disabled={reason.trim() === ''}>
            Roll back to version {version.version}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
