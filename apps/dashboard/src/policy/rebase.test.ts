import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { rebase } from './rebase.ts'

const base = 'gates:\n  a:\n    concurrency: 20\n    queue:\n      maxWaitMs: 100\n'

describe('putting an edit on top of what somebody else published', () => {
  it('carries only what was changed, and keeps what the other changed', () => {
    const mine = base.replace('20', '30')
    const theirs = `# reviewed\n${base.replace('100', '400')}`
    const result = rebase(base, mine, theirs)
    expect(result).toMatchObject({ carried: 1, conflicts: [] })
    expect(result?.text).toBe(theirs.replace('20', '30'))
  })

  it('names what both changed, and takes mine', () => {
    const result = rebase(base, base.replace('20', '30'), base.replace('20', '10'))
    expect(result?.conflicts).toEqual([{ path: 'gates.a.concurrency', mine: 30, theirs: 10 }])
    expect(parse(result?.text ?? '').gates.a.concurrency).toBe(30)
  })

  it('is no conflict where both made the same change', () => {
    const both = base.replace('20', '30')
    expect(rebase(base, both, both)).toMatchObject({ carried: 0, conflicts: [] })
  })

  it('carries removals and new gates', () => {
    const mine = 'gates:\n  a:\n    concurrency: 20\n  b: {}\n'
    const theirs = `${base}dependencies:\n  bank: {}\n`
    const result = rebase(base, mine, theirs)
    expect(parse(result?.text ?? '')).toEqual({ gates: { a: { concurrency: 20 }, b: {} }, dependencies: { bank: {} } })
  })

  it('gives up where a text does not parse: nothing is guessed', () => {
    expect(rebase(base, 'gates: [', base)).toBeNull()
  })
})
