import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import type { PolicyState } from '@weir/api'
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { policyQuery, reportedQuery } from '../../api/queries.ts'
import { useRole } from '../../app/role.ts'
import { type Span, spanOf } from '../../policy/check.ts'
import { CodeEditor, type CodeEditorHandle } from '../../policy/code-editor.tsx'
import { Conflict } from '../../policy/conflict.tsx'
import { FormPane } from '../../policy/form-pane.tsx'
import classes from '../../policy/policy.module.css'
import { Problems } from '../../policy/problems.tsx'
import { PublishModal } from '../../policy/publish-modal.tsx'
import { SharedDraftNotice, useSharedDraft } from '../../policy/shared-draft.tsx'
import { type Editor, useEditor } from '../../policy/use-editor.ts'
import { Loading, Ready } from '../../ui/states.tsx'
import { AsideNotice, RestoredNotice } from './notices.tsx'
import { Toolbar, useView } from './toolbar.tsx'

export const PolicyPage = () => {
  const { environment, service } = useParams({ from: '/app/e/$environment/s/$service/policy' })
  const query = useQuery(policyQuery(environment, service))
  return (
    <Ready query={query} loading={<Loading rows={8} />}>
      {(answer) => (
        <PolicyEditor key={`${environment}/${service}`} environment={environment} service={service} answer={answer} />
      )}
    </Ready>
  )
}

interface PolicyEditorProps {
  readonly environment: string
  readonly service: string
  readonly answer: Answer<PolicyState>
}

const PolicyEditor = ({ environment, service, answer }: PolicyEditorProps) => {
  const editor = useEditor(environment, service, answer)
  const shared = useSharedDraft({ environment, service, editor })
  const [aside, setAside] = useState<string | null>(null)
  const [publishing, setPublishing] = useState(false)
  const { canEdit } = useRole()
  const where = { environment, service, editor }
  return (
    <>
      <Toolbar editor={editor} shared={shared} canEdit={canEdit} onPublish={() => setPublishing(true)} />
      <Conflict {...where} latest={answer.data.published} onAside={setAside} />
      <RestoredNotice editor={editor} />
      <AsideNotice text={aside} editor={editor} onDone={() => setAside(null)} />
      <SharedDraftNotice shared={shared} editor={editor} canEdit={canEdit} onAside={setAside} />
      <Panes {...where} canEdit={canEdit} />
      <PublishModal {...where} opened={publishing} onClose={() => setPublishing(false)} />
    </>
  )
}

/** The gate or dependency that the address names, as a path of the document. */
const useSought = (): readonly [root: 'gates' | 'dependencies', name: string] | null => {
  const { gate, dependency } = useSearch({ from: '/app/e/$environment/s/$service/policy' })
  if (gate !== undefined) return ['gates', gate]
  return dependency === undefined ? null : ['dependencies', dependency]
}

const useSeen = (environment: string, service: string) => {
  const { data } = useQuery(reportedQuery(environment, service))
  const names = (of: 'gates' | 'dependencies') => data?.[of].map(({ name }) => name) ?? []
  return { gates: names('gates'), dependencies: names('dependencies') }
}

interface PanesProps {
  readonly environment: string
  readonly service: string
  readonly editor: Editor
  readonly canEdit: boolean
}

const Panes = ({ environment, service, editor, canEdit }: PanesProps) => {
  const { view, setView, wide } = useView()
  const code = useRef<CodeEditorHandle>(null)
  const seen = useSeen(environment, service)
  const { value, problems } = editor.checked
  const sought = useSought()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what the address names
  useEffect(() => {
    const span = sought === null ? null : spanOf(editor.text, sought)
    if (span !== null && view !== 'form') code.current?.jump(span)
  }, [])
  const jump = (span: Span) => {
    if (view === 'form') setView(wide ? 'both' : 'document')
    requestAnimationFrame(() => code.current?.jump(span))
  }
  return (
    <div className={classes.panes} data-view={view}>
      <section className={`${classes.pane} ${classes.formPane}`} aria-label="Policy as a form">
        <FormPane
          form={{ text: editor.text, value, problems, readOnly: !canEdit, onText: editor.setText }}
          seen={seen}
          sought={sought}
        />
        {view === 'form' && <Problems problems={problems} onJump={jump} />}
      </section>
      <section className={`${classes.pane} ${classes.documentPane}`} aria-label="Policy as a document">
        <CodeEditor ref={code} text={editor.text} problems={problems} readOnly={!canEdit} onChange={editor.setText} />
        <Problems problems={problems} onJump={jump} />
      </section>
    </div>
  )
}
