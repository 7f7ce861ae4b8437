import { Button, Group, SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import classes from '../../policy/policy.module.css'
import type { SharedDraftState } from '../../policy/shared-draft.tsx'
import type { Editor } from '../../policy/use-editor.ts'

type View = 'both' | 'form' | 'document'

/** Which panes are seen; in the URL. A narrow screen shows one at a time. */
export const useView = () => {
  const { view } = useSearch({ from: '/app/e/$environment/s/$service/policy' })
  const navigate = useNavigate({ from: '/e/$environment/s/$service/policy' })
  const setView = (next: View) =>
    void navigate({
      search: ({ view: _, ...rest }) => (next === 'both' ? rest : { ...rest, view: next }),
      replace: true,
    })
  const wide = useMediaQuery('(min-width: 1100px)', true, { getInitialValueInEffect: false })
  return { view: (view ?? (wide ? 'both' : 'form')) as View, setView, wide }
}

interface ToolbarProps {
  readonly editor: Editor
  readonly shared: SharedDraftState
  readonly canEdit: boolean
  readonly onPublish: () => void
}

const VIEWS = [
  { value: 'both', label: 'Both' },
  { value: 'form', label: 'Form' },
  { value: 'document', label: 'Document' },
]

export const Toolbar = ({ editor, shared, canEdit, onPublish }: ToolbarProps) => {
  const { view, setView, wide } = useView()
  const wrong = editor.checked.problems.length > 0
  return (
    <div className={classes.toolbar}>
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={wide ? VIEWS : VIEWS.slice(1)}
          value={view}
          onChange={(next) => setView(next as View)}
        />
        <Basis editor={editor} />
      </Group>
      {canEdit ? (
        <Group gap="xs">
          {editor.dirty && (
            <>
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                onClick={() => editor.restart(editor.published.document, editor.published)}
              >
                Discard changes
              </Button>
              <Button size="xs" variant="default" loading={shared.save.isPending} onClick={() => shared.save.mutate()}>
                Share draft
              </Button>
            </>
          )}
          <Button size="xs" disabled={!editor.dirty || wrong || editor.overtaken} onClick={onPublish}>
            Review and publish
          </Button>
        </Group>
      ) : (
        <span className={classes.basis}>Your role may read the policy, not change it.</span>
      )}
    </div>
  )
}

const Basis = ({ editor }: { editor: Editor }) => (
  <span className={classes.basis} role="status">
    {editor.base.version === 0 ? 'Nothing published yet' : `Version ${editor.base.version}`}
    {editor.dirty && (
      <>
        , <strong>changed</strong>, {editor.kept ? 'kept in this browser' : 'not kept: this browser stores nothing'}
      </>
    )}
  </span>
)
