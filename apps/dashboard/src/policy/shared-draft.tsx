import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Draft } from '@weir/api'
import { type Answer, call, url } from '../api/client.ts'
import { draftQuery } from '../api/queries.ts'
import { Failure } from '../ui/states.tsx'
import { When } from '../ui/when.tsx'
import { formatOf } from './changes.tsx'
import classes from './policy.module.css'
import type { Editor } from './use-editor.ts'

interface SharedDraftProps {
  readonly environment: string
  readonly service: string
  readonly editor: Editor
}

const pathOf = (environment: string, service: string): string =>
  url(['environments', environment, 'services', service, 'policy', 'draft'])

/** The service's one draft, for colleagues to look at and go on with. It overwrites nothing that was not seen: If-Match. */
export const useSharedDraft = ({ environment, service, editor }: SharedDraftProps) => {
  const client = useQueryClient()
  const query = useQuery(draftQuery(environment, service))
  const etag = query.data?.etag
  const again = () => client.invalidateQueries({ queryKey: draftQuery(environment, service).queryKey })
  const save = useMutation({
    mutationFn: (): Promise<Answer<Draft>> =>
      call<Draft>(pathOf(environment, service), {
        method: 'PUT',
        ...(etag == null ? { create: true } : { ifMatch: etag }),
        body: { document: editor.text, format: formatOf(editor.text), basedOn: editor.base.version },
      }),
    onSuccess: () =>
      notifications.show({ title: 'Draft shared', message: 'Everybody who opens this policy is told of it.' }),
    onSettled: again,
  })
  const drop = useMutation({
    mutationFn: () =>
      call(pathOf(environment, service), { method: 'DELETE', ...(etag == null ? {} : { ifMatch: etag }) }),
    onSettled: again,
  })
  return { draft: query.data?.data ?? null, save, drop }
}

export type SharedDraftState = ReturnType<typeof useSharedDraft>

interface NoticeProps {
  readonly shared: SharedDraftState
  readonly editor: Editor
  readonly canEdit: boolean
  readonly onAside: (text: string) => void
}

export const SharedDraftNotice = ({ shared, editor, canEdit, onAside }: NoticeProps) => {
  const { draft, save, drop } = shared
  const error = save.error ?? drop.error
  if (draft === null || draft.document === editor.text) return error === null ? null : <Failure error={error} />
  const open = () => {
    if (editor.dirty) onAside(editor.text)
    const base =
      draft.basedOn === editor.published.version
        ? editor.published
        : { version: draft.basedOn, document: editor.base.document, etag: null }
    editor.restart(draft.document, base)
  }
  return (
    <div className={classes.notice} role="status">
      {error !== null && <Failure error={error} />}
      <p>
        <strong>{draft.author}</strong> shared a draft <When time={draft.updatedAt} />, based on version {draft.basedOn}
        .
      </p>
      {canEdit && (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={open}>
            Open the draft
          </Button>
          <Button size="xs" variant="default" loading={drop.isPending} onClick={() => drop.mutate()}>
            Delete the draft
          </Button>
        </Group>
      )}
    </div>
  )
}
