import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { keysAt, removeAt, setAt, valueAt } from './edit.ts'

const TEXT = `# owned by the shop team
version: 1
gates:
  checkout: # the till
    concurrency: 20
    queue:
      maxWaitMs: 250
`

describe('the form writes the document', () => {
  it('changes one value and leaves comments, order and everything else', () => {
    expect(setAt(TEXT, ['gates', 'checkout', 'queue', 'maxWaitMs'], 400)).toBe(TEXT.replace('250', '400'))
  })

  it('keeps the short form of a fixed limit while only that is changed', () => {
    expect(setAt(TEXT, ['gates', 'checkout', 'concurrency', 'initial'], 30)).toBe(TEXT.replace('20', '30'))
  })

  it('spells the short form out when it gets a neighbour', () => {
    const text = setAt(TEXT, ['gates', 'checkout', 'concurrency', 'ceiling'], 50)
    expect(parse(text).gates.checkout.concurrency).toEqual({ initial: 20, ceiling: 50 })
  })

  it('makes the maps on the way, also in an empty document and under an empty key', () => {
    expect(parse(setAt('', ['gates', 'a', 'mode'], 'off'))).toEqual({ gates: { a: { mode: 'off' } } })
    expect(parse(setAt('gates:\n', ['gates', 'a'], {}))).toEqual({ gates: { a: {} } })
  })

  it('removes a value with the map that it leaves empty, but never the gate', () => {
    expect(parse(removeAt(TEXT, ['gates', 'checkout', 'queue', 'maxWaitMs']))).toEqual({
      version: 1,
      gates: { checkout: { concurrency: 20 } },
    })
    expect(parse(removeAt('gates:\n  a:\n    mode: off\n', ['gates', 'a', 'mode']))).toEqual({ gates: { a: {} } })
    expect(parse(removeAt(TEXT, ['gates', 'checkout', 'concurrency', 'initial'])).gates.checkout).toEqual({
      queue: { maxWaitMs: 250 },
    })
  })

  it('does not touch a text that does not parse', () => {
    expect(setAt('gates: [', ['gates', 'a'], {})).toBe('gates: [')
    expect(removeAt('gates: [', ['gates'])).toBe('gates: [')
  })

  it('stays JSON where the document is JSON', () => {
    expect(JSON.parse(setAt('{"gates": {"a": {}}}', ['gates', 'a', 'mode'], 'off'))).toEqual({
      gates: { a: { mode: 'off' } },
    })
  })
})

describe('the form reads the document', () => {
  it('reads values, the short form, and nothing where nothing is', () => {
    const value = parse(TEXT)
    expect(valueAt(value, ['gates', 'checkout', 'concurrency', 'initial'])).toBe(20)
    expect(valueAt(value, ['gates', 'checkout', 'concurrency', 'floor'])).toBeUndefined()
    expect(valueAt(value, ['gates', 'toString'])).toBeUndefined()
    expect(keysAt(value, ['gates'])).toEqual(['checkout'])
  })
})
