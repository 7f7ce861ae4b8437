import { Button, Group, Modal, Stack, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Published } from '@weir/api'
import { type FormEvent, useState } from 'react'
import { type Answer, call, url } from '../api/client.ts'
import { asProblem } from '../api/problem.ts'
import { policyQuery } from '../api/queries.ts'
import { Failure } from '../ui/states.tsx'
import ui from '../ui/ui.module.css'
import { ChangesOf, formatOf } from './changes.tsx'
import { ForecastOf } from './forecast.tsx'
import type { Editor } from './use-editor.ts'

interface PublishModalProps {
  readonly environment: string
  readonly service: string
  readonly editor: Editor
  readonly opened: boolean
  readonly onClose: () => void
}

/** What would change, why, and the one button that makes it so. */
export const PublishModal = (props: PublishModalProps) => (
  <Modal opened={props.opened} onClose={props.onClose} title="Review and publish" size="lg">
    <PublishForm {...props} />
  </Modal>
)

const usePublish = ({ environment, service, editor, onClose }: PublishModalProps) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (reason: string): Promise<Answer<Published>> =>
      call<Published>(url(['environments', environment, 'services', service, 'policy', 'publish']), {
        method: 'POST',
        ...(editor.base.etag === null ? { create: true } : { ifMatch: editor.base.etag }),
        body: { document: editor.text, format: formatOf(editor.text), reason },
      }),
    onSuccess: async ({ data, etag }) => {
      editor.restart(editor.text, { version: data.version, document: editor.text, etag })
      onClose()
      notifications.show({
        title: `Version ${data.version} is published`,
        message: data.changed
          ? `Revision ${data.revision}. The agents are taking it now: the Agents tab shows who has.`
          : 'The effective policy stayed the same: agents have nothing to do.',
      })
      for (const key of ['policy', 'versions', 'service', 'verdicts', 'agents', 'draft'])
        void client.invalidateQueries({ queryKey: [key] })
    },
    onError: async (error) => {
      if (asProblem(error).status !== 412) return
      await client.invalidateQueries({ queryKey: policyQuery(environment, service).queryKey })
      onClose()
    },
  })
}

const PublishForm = (props: PublishModalProps) => {
  const { environment, service, editor } = props
  const [reason, setReason] = useState('')
  const publish = usePublish(props)
  const problem = publish.error === null ? null : asProblem(publish.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    publish.mutate(reason)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem !== null && problem.status !== 412 && <Failure error={problem} />}
        <div>
          <p className={ui.hint}>
            {editor.base.version === 0
              ? 'The first policy of this service:'
              : `Against version ${editor.base.version}:`}
          </p>
          <ChangesOf environment={environment} service={service} document={editor.text} against={editor.base.version} />
        </div>
        <ForecastOf environment={environment} service={service} document={editor.text} />
        <Textarea
          label="Reason"
          description="Part of the history: whoever is woken next reads it."
          data-autofocus
          required
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          error={problem?.fields().reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            Back to the editor
          </Button>
          <Button type="submit" loading={publish.isPending} disabled={reason.trim() === ''}>
            Publish
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
