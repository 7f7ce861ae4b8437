import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { setDiagnostics } from '@codemirror/lint'
import { tags } from '@lezer/highlight'
import { basicSetup, EditorView } from 'codemirror'
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import type { Located, Span } from './check.ts'
import classes from './policy.module.css'
import { replacement } from './replacement.ts'

export interface CodeEditorHandle {
  readonly jump: (span: Span) => void
}

interface CodeEditorProps {
  readonly text: string
  readonly problems: readonly Located[]
  readonly readOnly: boolean
  readonly onChange: (text: string) => void
  readonly ref: Ref<CodeEditorHandle>
}

const look = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'transparent', color: 'var(--w-ink)', height: '100%' },
  '.cm-content': { fontFamily: 'var(--mantine-font-family-monospace)', caretColor: 'var(--w-ink)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--w-dim)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--w-hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--w-ink)' },
  '&.cm-focused': { outline: '2px solid var(--w-completed)', outlineOffset: '-2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--w-completed) 28%, transparent)',
  },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--w-panel)', color: 'var(--w-ink)', borderColor: 'var(--w-line)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--w-hover)', color: 'var(--w-dim)', borderColor: 'var(--w-line)' },
})

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--w-dim)', fontStyle: 'italic' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--w-accepted)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--w-shed)' },
  { tag: [tags.string, tags.content], color: 'var(--w-ink)' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: 'var(--w-dim)' },
])

/** The document as text. A change from outside (the form) is put in with the cursor left where it was. */
export const CodeEditor = ({ text, problems, readOnly, onChange, ref }: CodeEditorProps) => {
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const change = useRef(onChange)
  change.current = onChange
  const initial = useRef(text)

  useEffect(() => {
    if (box.current === null) return
    const editor = new EditorView({
      doc: initial.current,
      parent: box.current,
      extensions: [
        basicSetup,
        yaml(),
        look,
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.editable.of(!readOnly),
        EditorView.contentAttributes.of({ 'aria-label': 'Policy document', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) change.current(update.state.doc.toString())
        }),
      ],
    })
    view.current = editor
    return () => {
      initial.current = editor.state.doc.toString()
      view.current = null
      editor.destroy()
    }
  }, [readOnly])

  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    const changes = replacement(editor.state.doc.toString(), text)
    if (changes !== null) editor.dispatch({ changes })
    const end = editor.state.doc.length
    const diagnostics = problems.map(({ span, message }) => ({
      from: Math.min(span.from, end),
      to: Math.min(Math.max(span.to, span.from), end),
      severity: 'error' as const,
      message,
    }))
    editor.dispatch(setDiagnostics(editor.state, diagnostics))
  }, [text, problems])

  useImperativeHandle(ref, () => ({
    jump: ({ from }) => {
      const editor = view.current
      if (editor === null) return
      const anchor = Math.min(from, editor.state.doc.length)
      editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      editor.focus()
    },
  }))
  return <div ref={box} className={classes.code} />
}
