import type { DecisionInputs } from '@weir/api'
import { SPAN_ATTRIBUTES, SPANS } from '@weir/wire/model'
import type { AttributeValue, ResourceSpans, Span } from '../../otlp/model.ts'
import { bookTime } from '../outcomes/book-time.ts'
import type { Kind } from '../outcomes/columns.ts'
import { attributeFault, readResource, type Sender } from '../outcomes/read-resource.ts'
import { Rejections } from '../outcomes/rejections.ts'
import type { TelemetryKey } from '../outcomes/telemetry-key.ts'
import type { StoredDecision } from './decision-store.ts'

const KINDS: Readonly<Record<string, Kind>> = { [SPANS.gate.name]: 'gate', [SPANS.dependency.name]: 'dependency' }
type Attribute = keyof typeof SPAN_ATTRIBUTES
/** Revisions are counted in 32 bits. */
const MAX_REVISION = 2_147_483_647
/** How a column of the inputs is told in a span, and how many of its units one of the span's are. */
const INPUTS: Readonly<Record<keyof DecisionInputs, readonly [Attribute, number]>> = {
  limit: ['limit', 1],
  inFlight: ['inFlight', 1],
  waiting: ['waiting', 1],
  level: ['level', 1],
  remainingMs: ['remaining', 1_000],
  predictedWaitMs: ['predictedWait', 1_000],
  maxWaitMs: ['maxWait', 1_000],
  delayMs: ['delay', 1_000],
  classUsed: ['classUsed', 1],
  classReserve: ['classReserve', 1],
  keptIdle: ['keptIdle', 1],
  tenantHeld: ['tenantHeld', 1],
  tenantConcurrency: ['tenantConcurrency', 1],
  tenantTokens: ['tenantTokens', 1],
  cost: ['cost', 1],
}

/** The refusals among a request's spans, of any sender: what of it is no refusal, or cannot be read, is no decision. */
export const readDecisions = (
  request: readonly ResourceSpans[],
  key: TelemetryKey,
  receivedAtMs: number,
): StoredDecision[] =>
  request.flatMap(({ resource, spans }) => {
    const refused = spans.filter(isRefusal)
    if (refused.length === 0) return []
    const sender = readResource(resource, key, new Rejections(), 0)
    return sender === null ? [] : refused.flatMap((span) => decisionOf(span, sender, receivedAtMs) ?? [])
  })

const isRefusal = ({ name, attributes }: Span): boolean => {
  if (!Object.hasOwn(KINDS, name)) return false
  for (const { key, value } of attributes)
    if (key === SPAN_ATTRIBUTES.outcome.name) return value === 'shed' || value === 'expired'
  return false
}

/** Of 16 and 8 bytes, as hex. */
const hasIds = ({ traceId, spanId }: Span): boolean => traceId.length === 32 && spanId.length === 16

const decisionOf = (span: Span, sender: Sender, receivedAtMs: number): StoredDecision | null => {
  const kind = KINDS[span.name]
  const time = bookTime(span.endMs, span.endMs, receivedAtMs, false)
  if (kind === undefined || time === null || attributeFault(span.attributes) !== null || !hasIds(span)) return null
  const waitedMs = span.endMs - span.startMs
  if (!Number.isFinite(waitedMs)) return null
  const said = new Map(span.attributes.map(({ key, value }) => [key, value]))
  const of = (attribute: Attribute) => said.get(SPAN_ATTRIBUTES[attribute].name)
  const [name, reason] = [text(of(kind)), text(of('reason'))]
  if (name === null || reason === null) return null
  const [revision, retryAfter] = [number(of('revision')), number(of('retryAfter'))]
  return {
    id: span.spanId,
    at: new Date(time.endMs).toISOString(),
    environment: sender.environment,
    service: sender.service,
    instance: sender.instance,
    kind,
    name,
    outcome: of('outcome') === 'expired' ? 'expired' : 'shed',
    reason,
    signal: text(of('signal')),
    retryAfterMs: retryAfter === null ? null : scaled(retryAfter, 1_000),
    revision: revision !== null && Number.isInteger(revision) && Math.abs(revision) <= MAX_REVISION ? revision : null,
    class: text(of('class')),
    tenant: text(of('tenant')),
    route: text(of('route')),
    waitedMs: Math.max(0, scaled(waitedMs, 1)),
    standsFor: number(of('adjustedCount')) ?? 1,
    traceId: span.traceId,
    inputs: inputsOf(of),
  }
}

const inputsOf = (of: (attribute: Attribute) => AttributeValue | undefined): DecisionInputs =>
  Object.fromEntries(
    Object.entries(INPUTS).map(([column, [attribute, scale]]) => {
      const value = number(of(attribute))
      return [column, value === null ? null : scaled(value, scale)]
    }),
  ) as DecisionInputs

/** To the microsecond of milliseconds. */
const scaled = (value: number, scale: number): number => Math.round(value * scale * 1e3) / 1e3

const text = (value: AttributeValue | undefined): string | null =>
  value === undefined || value === null || value === '' ? null : String(value)
const number = (value: AttributeValue | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
