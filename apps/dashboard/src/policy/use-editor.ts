import type { PolicyState } from '@weir/api'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Answer } from '../api/client.ts'
import { type Checked, check } from './check.ts'
import { dropDraft, type LocalDraft, readDraft, writeDraft } from './local-draft.ts'

/** What an edit began from: the version, its text, and what If-Match wants for it. */
interface Base {
  readonly version: number
  readonly document: string
  readonly etag: string | null
}

const baseOf = ({ data, etag }: Answer<PolicyState>): Base => ({
  version: data.version,
  document: data.published?.document ?? '',
  etag,
})

const SAVE_AFTER_MS = 300

interface Session {
  readonly text: string
  readonly base: Base
}

const begin = (published: Base, kept: LocalDraft | null): Session & { restoredAt: number | null } => {
  if (kept === null || kept.document === kept.base)
    return { text: published.document, base: published, restoredAt: null }
  const base =
    kept.basedOn === published.version && kept.base === published.document
      ? published
      : { version: kept.basedOn, document: kept.base, etag: kept.etag }
  return { text: kept.document, base, restoredAt: kept.savedAt }
}

/** The text being edited, what it is based on, and its copy in the browser. The published version may move on meanwhile. */
export const useEditor = (environment: string, service: string, answer: Answer<PolicyState>) => {
  const published = useMemo(() => baseOf(answer), [answer])
  const [first] = useState(() => begin(published, readDraft(localStorage, environment, service)))
  const [session, setSession] = useState<Session>({ text: first.text, base: first.base })
  const [restoredAt, setRestoredAt] = useState(first.restoredAt)
  const [kept, setKept] = useState(true)
  const dirty = session.text !== session.base.document
  const overtaken = dirty && published.version !== session.base.version

  useEffect(() => {
    if (!dirty && published.version !== session.base.version) setSession({ text: published.document, base: published })
  }, [dirty, published, session.base.version])

  /** The copy in the browser may be another tab's: only one that was read or written here is dropped. */
  const ours = useRef(first.restoredAt !== null)
  const save = useRef(() => {})
  save.current = () => {
    if (!dirty) {
      if (ours.current) dropDraft(localStorage, environment, service)
      ours.current = false
      return
    }
    ours.current = true
    const { version, document: base, etag } = session.base
    const draft = { document: session.text, basedOn: version, base, etag, savedAt: Date.now() }
    setKept(writeDraft(localStorage, environment, service, draft))
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the session is what is saved
  useEffect(() => {
    const timer = setTimeout(() => save.current(), SAVE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [session])
  useEffect(() => {
    const now = () => save.current()
    addEventListener('pagehide', now)
    return () => {
      removeEventListener('pagehide', now)
      now()
    }
  }, [])

  const checked: Checked = useMemo(() => check(session.text), [session.text])
  const setText = useCallback((text: string) => setSession((before) => ({ ...before, text })), [])
  const restart = useCallback((text: string, base: Base) => {
    setRestoredAt(null)
    setSession({ text, base })
  }, [])
  return { ...session, published, dirty, overtaken, restoredAt, kept, checked, setText, restart }
}

export type Editor = ReturnType<typeof useEditor>
