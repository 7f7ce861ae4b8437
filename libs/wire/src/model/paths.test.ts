import { describe, expect, it } from 'vitest'
import { sameScales, scalesFromHeader, scalesToHeader } from './paths.ts'

describe('the shares of quotas in a header', () => {
  it.each([
    [{}, 'whole'],
    [{ checkout: 0.49 }, 'checkout=0.49'],
    [{ checkout: 0.7, 'search.v2': 1 }, 'checkout=0.7, search.v2=1'],
  ])('%j is written %s and read again', (scales, text) => {
    expect(scalesToHeader(scales)).toBe(text)
    expect(scalesFromHeader(text)).toEqual(scales)
  })

  it.each([
    '',
    'checkout',
    'checkout=0',
    'checkout=1.5',
    'checkout=-1',
    'Check Out=0.5',
    'a=0.5,b=0.5',
    'a=NaN',
    'a=1e-3',
  ])('%j is not understood, and changes nothing', (text) => expect(scalesFromHeader(text)).toBeNull())

  it('says nothing where it is left out', () => {
    expect(scalesFromHeader(undefined)).toBeNull()
    expect(scalesFromHeader(Array.from({ length: 21 }, (_, i) => `r${i}=0.5`).join(', '))).toBeNull()
  })

  it('compares by what is said', () => {
    expect(sameScales({ a: 0.5, b: 1 }, { b: 1, a: 0.5 })).toBe(true)
    expect(sameScales({ a: 0.5 }, { b: 0.5 })).toBe(false)
    expect(sameScales({}, { a: 0.5 })).toBe(false)
  })
})
