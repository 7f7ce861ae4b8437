import { describe, expect, it } from 'vitest'
import { committed, reference } from './reference.ts'

describe('docs/reference', () => {
  it.each(Object.keys(reference()))('%s says what the code says (npm run reference)', (name) => {
    expect(committed(name)).toBe(reference()[name])
  })
})
