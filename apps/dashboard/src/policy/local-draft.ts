/** An unpublished text, kept in this browser at every change so that nothing is lost on a reload. */
export interface LocalDraft {
  readonly document: string
  /** Version and text that it began from, and what If-Match wants for that version. */
  readonly basedOn: number
  readonly base: string
  readonly etag: string | null
  /** ms since the epoch. */
  readonly savedAt: number
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const keyOf = (environment: string, service: string): string => `weir.draft.${environment}/${service}`

const isDraft = (value: unknown): value is LocalDraft =>
  typeof value === 'object' &&
  value !== null &&
  'document' in value &&
  typeof value.document === 'string' &&
  'base' in value &&
  typeof value.base === 'string' &&
  'basedOn' in value &&
  typeof value.basedOn === 'number' &&
  'savedAt' in value &&
  typeof value.savedAt === 'number' &&
  'etag' in value

export const readDraft = (store: Store, environment: string, service: string): LocalDraft | null => {
  try {
    const value: unknown = JSON.parse(store.getItem(keyOf(environment, service)) ?? 'null')
    return isDraft(value) ? value : null
  } catch {
    return null
  }
}

/** False where the browser keeps nothing: then the page says that the text is not saved. */
export const writeDraft = (store: Store, environment: string, service: string, draft: LocalDraft): boolean => {
  try {
    store.setItem(keyOf(environment, service), JSON.stringify(draft))
    return true
  } catch {
    return false
  }
}

export const dropDraft = (store: Store, environment: string, service: string): void => {
  try {
    store.removeItem(keyOf(environment, service))
  } catch {
    // A store that refuses has kept nothing either.
  }
}
