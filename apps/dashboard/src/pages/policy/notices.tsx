import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import classes from '../../policy/policy.module.css'
import type { Editor } from '../../policy/use-editor.ts'
import { When } from '../../ui/when.tsx'

/** After a reload: the text from before is there again. */
export const RestoredNotice = ({ editor }: { editor: Editor }) => {
  const [seen, setSeen] = useState(false)
  if (editor.restoredAt === null || seen || !editor.dirty) return null
  return (
    <div className={classes.notice} role="status">
      <p>
        Your unpublished text of <When time={editor.restoredAt} /> is back, based on version {editor.base.version}.
      </p>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => setSeen(true)}>
          Go on with it
        </Button>
        <Button size="xs" variant="default" onClick={() => editor.restart(editor.published.document, editor.published)}>
          Drop it
        </Button>
      </Group>
    </div>
  )
}

/** A text that was left for another one can be had back. */
export const AsideNotice = (props: { text: string | null; editor: Editor; onDone: () => void }) => {
  const { text, editor, onDone } = props
  if (text === null || text === editor.text) return null
  return (
    <div className={classes.notice} role="status">
      <p>Your former text is set aside.</p>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            editor.setText(text)
            onDone()
          }}
        >
          Bring it back
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Forget it
        </Button>
      </Group>
    </div>
  )
}
