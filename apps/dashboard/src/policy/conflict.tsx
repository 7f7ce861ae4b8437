import { Button, Group, Modal, Stack, Tabs } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { PolicyVersion } from '@weir/api'
import { useMemo, useState } from 'react'
import { plural } from '../format/numbers.ts'
import ui from '../ui/ui.module.css'
import { ChangesOf } from './changes.tsx'
import classes from './policy.module.css'
import { type Rebased, rebase } from './rebase.ts'
import { TextDiff } from './text-diff.tsx'
import type { Editor } from './use-editor.ts'

interface ConflictProps {
  readonly environment: string
  readonly service: string
  readonly editor: Editor
  readonly latest: PolicyVersion | null
  /** Called with the text that was left for the published one, so that it can be had back. */
  readonly onAside: (text: string) => void
}

/** Somebody was faster. Both texts are there; nothing is lost whatever is chosen. */
export const Conflict = (props: ConflictProps) => {
  const { editor, latest } = props
  const [opened, modal] = useDisclosure(false)
  const [carried, setCarried] = useState<Rebased | null>(null)
  const merged = useMemo(
    () => rebase(editor.base.document, editor.text, editor.published.document),
    [editor.base.document, editor.text, editor.published.document],
  )
  if (!editor.overtaken) return carried === null ? null : <Carried rebased={carried} onClose={() => setCarried(null)} />
  const version = editor.published.version
  const putOnTop = () => {
    if (merged === null) return
    props.onAside(editor.text)
    setCarried(merged)
    editor.restart(merged.text, editor.published)
  }
  return (
    <div className={classes.notice} role="alert">
      <p className={classes.noticeTitle}>Somebody else published version {version} while you edited</p>
      <p>
        {latest !== null && `${latest.author} wrote: “${latest.reason}”. `}
        Your text is based on version {editor.base.version} and is kept, here and in this browser. It cannot be
        published before you decide what becomes of version {version}.
      </p>
      <Group gap="xs">
        <Button size="xs" disabled={merged === null} onClick={putOnTop}>
          Put my changes on top of version {version}
        </Button>
        <Button size="xs" variant="default" onClick={modal.open}>
          Compare
        </Button>
        <Button size="xs" variant="default" onClick={() => editor.restart(editor.text, editor.published)}>
          Keep my text as it is, undo theirs
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            props.onAside(editor.text)
            editor.restart(editor.published.document, editor.published)
          }}
        >
          Take version {version}, set mine aside
        </Button>
      </Group>
      {merged === null && (
        <p className={ui.hint}>Your text does not parse, so that only you can put it together by hand.</p>
      )}
      <Modal opened={opened} onClose={modal.close} size="xl" title="Your text and theirs">
        <Compare {...props} />
      </Modal>
    </div>
  )
}

const Compare = ({ environment, service, editor }: ConflictProps) => {
  const version = editor.published.version
  return (
    <Tabs defaultValue="theirs">
      <Tabs.List>
        <Tabs.Tab value="theirs">What version {version} changed</Tabs.Tab>
        <Tabs.Tab value="texts">Version {version} and yours, line by line</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="theirs" pt="md">
        <Stack gap="sm">
          <p className={ui.hint}>Against version {editor.base.version}, which both began from:</p>
          <ChangesOf
            environment={environment}
            service={service}
            document={editor.published.document}
            against={editor.base.version}
          />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="texts" pt="md">
        <p className={ui.hint}>Minus: version {version}. Plus: your text.</p>
        <TextDiff before={editor.published.document} after={editor.text} label={`Version ${version} and your text`} />
      </Tabs.Panel>
    </Tabs>
  )
}

const shown = (value: unknown): string => (value === undefined ? 'removed' : JSON.stringify(value))

const Carried = ({ rebased, onClose }: { rebased: Rebased; onClose: () => void }) => (
  <div className={classes.notice} role="status">
    <p className={classes.noticeTitle}>
      {plural(rebased.carried, 'setting')} of yours now {rebased.carried === 1 ? 'stands' : 'stand'} on top of their
      version
    </p>
    {rebased.conflicts.length > 0 && (
      <div>
        <p>Both of you changed {plural(rebased.conflicts.length, 'setting')}; yours is in the text:</p>
        <ul>
          {rebased.conflicts.map(({ path, mine, theirs }) => (
            <li key={path}>
              <code>{path}</code>: yours {shown(mine)}, theirs {shown(theirs)}
            </li>
          ))}
        </ul>
      </div>
    )}
    <Group>
      <Button size="xs" variant="default" onClick={onClose}>
        Understood
      </Button>
    </Group>
  </div>
)
