import { randomBytes } from 'node:crypto'

/** Whose child a span is. */
export interface Parent {
  readonly traceId: string
  readonly spanId: string
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/

/** Reads W3C `traceparent`; `null` where it is none. */
export const parentOf = (traceparent: string | null): Parent | null => {
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent ?? '') ?? []
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId }
}

export const traceparentOf = ({ traceId, spanId }: Parent): string => `00-${traceId}-${spanId}-01`

/** A new span's ids: in its parent's trace, else in one of its own. */
export const childOf = (parent: Parent | null): Parent => ({
  traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
})

/** The span that is active in the host's OpenTelemetry. Without the API, or outside of a span: `null`. */
export const activeSpan = async (): Promise<() => Parent | null> => {
  try {
    const { isSpanContextValid, trace } = await import('@opentelemetry/api')
    return () => {
      const context = trace.getActiveSpan()?.spanContext()
      return context !== undefined && isSpanContextValid(context) ? context : null
    }
  } catch {
    return () => null
  }
}
