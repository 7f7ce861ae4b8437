import { context, SpanKind, trace } from '@opentelemetry/api'
import { SPANS } from '@weir/wire/model'
import type { Runtime } from '../core/clock.ts'
import type { Sample, SampleInputs, SampleStart } from '../core/sampling.ts'
import { spanValues } from './spans.ts'
import { parentOf, traceparentOf } from './trace-context.ts'

/**
 * Spans through the host's own OpenTelemetry SDK, below the span that is active there, else below the trace context that came with the work. The SDK's own
 * sampler may leave some of them out.
 */
export const hostSpans = (runtime: Runtime): ((start: SampleStart) => Sample) => {
  const tracer = trace.getTracer('@weir/agent')
  return (start) => {
    const arrivedMs = runtime.clock.now()
    const here = context.active()
    const parent = trace.getSpan(here) === undefined ? parentOf(start.traceparent) : null
    const under = parent === null ? here : trace.setSpanContext(here, { ...parent, traceFlags: 1, isRemote: true })
    const kind = start.kind === 'gate' ? SpanKind.INTERNAL : SpanKind.CLIENT
    const span = tracer.startSpan(SPANS[start.kind].name, { kind }, under)
    let waitMs: number | null = null
    let inputs: SampleInputs | null = null
    return {
      traceparent: traceparentOf(span.spanContext()),
      decided: (given) => {
        inputs = given
      },
      started: () => {
        waitMs = runtime.clock.now() - arrivedMs
      },
      end: (end) => {
        if (span.isRecording()) span.setAttributes(spanValues(start, end, waitMs, inputs)).end()
      },
    }
  }
}
