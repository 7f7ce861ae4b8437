import { describe, expect, it } from 'vitest'
import { dropDraft, readDraft, writeDraft } from './local-draft.ts'

const memory = () => {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
}
const draft = { document: 'gates: {}', basedOn: 3, base: '', etag: '"3"', savedAt: 1 }

describe('the draft in the browser', () => {
  it('comes back as it was written, for its service only', () => {
    const store = memory()
    writeDraft(store, 'prod', 'orders', draft)
    expect([readDraft(store, 'prod', 'orders'), readDraft(store, 'prod', 'pay')]).toEqual([draft, null])
    dropDraft(store, 'prod', 'orders')
    expect(readDraft(store, 'prod', 'orders')).toBeNull()
  })

  it('is nothing where what is stored is something else', () => {
    const store = memory()
    store.setItem('weir.draft.prod/orders', '{"document": 5}')
    expect(readDraft(store, 'prod', 'orders')).toBeNull()
    store.setItem('weir.draft.prod/orders', 'no json')
    expect(readDraft(store, 'prod', 'orders')).toBeNull()
  })

  it('says so when the browser is full', () => {
    const full = {
      ...memory(),
      setItem: () => {
        throw new Error('quota')
      },
    }
    expect(writeDraft(full, 'prod', 'orders', draft)).toBe(false)
  })
})
