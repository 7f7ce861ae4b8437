import { describe, expect, it } from 'vitest'
import { childOf, parentOf, traceparentOf } from './trace-context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

describe('trace context', () => {
  it.each([`00-${trace}-${span}-01`, `00-${trace}-${span}-00`, `01-${trace}-${span}-01-what-comes-later`])(
    'reads %s',
    (text) => expect(parentOf(text)).toEqual({ traceId: trace, spanId: span }),
  )

  it.each([
    null,
    '',
    'x',
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01x`,
  ])('takes %s for none', (text) => expect(parentOf(text)).toBeNull())

  it('a child is in the trace of its parent, or in one of its own', () => {
    const child = childOf({ traceId: trace, spanId: span })
    expect(child.traceId).toBe(trace)
    expect(child.spanId).not.toBe(span)
    const root = childOf(null)
    expect(parentOf(traceparentOf(root))).toEqual(root)
  })
})
