import type { Flight } from './flight.ts'
import type { Admission, Parts } from './parts.ts'
import type { Verdict } from './verdict.ts'

/** What breaker, endpoints, throttle and budget learn from an attempt that was answered after `durationMs`, by the table of `Verdict`. */
export const learn = (parts: Parts, flight: Flight, verdict: Verdict, durationMs: number, now: number): void => {
  const { breaker, throttle, budget, endpoints } = parts
  const { ticket, placement } = flight
  const { kind } = verdict
  if (kind === 'success') breaker.success(ticket, now, durationMs)
  else if (kind === 'failure') breaker.failure(ticket, now, durationMs)
  else breaker.neutral(ticket)
  if (placement !== null) {
    if (kind === 'success') endpoints.succeeded(placement, now, durationMs)
    else if (kind === 'failure') endpoints.failed(placement, now, durationMs)
    else endpoints.neutral(placement)
  }
  throttle.record(now, kind === 'success' || kind === 'neutral')
  if (kind === 'success') budget.succeeded(now)
  else if (verdict.retryable || verdict.signal === 'stop') budget.failed(now)
}

/** From one whose time was over; `byCaller`: its caller's time, which may have been hopeless from the start. */
export const learnCutOff = (parts: Parts, flight: Flight, byCaller: boolean, now: number): void => {
  const { breaker, throttle, budget, endpoints } = parts
  const { ticket, placement } = flight
  const durationMs = now - flight.startedAt
  if (byCaller) breaker.cutShort(ticket, now, durationMs)
  else breaker.failure(ticket, now, durationMs)
  if (placement !== null) {
    if (byCaller) placement.endpoint.breaker.cutShort(placement.ticket, now, durationMs)
    else endpoints.failed(placement, now, durationMs)
  }
  throttle.record(now, false)
  budget.failed(now)
}

/** Timers of clients and drivers have whole milliseconds: one that keeps our deadline for us may end this much before it. */
const EARLY_MS = 1

/** From one that did not end well: a failure at its caller's deadline is that deadline, whoever kept it. */
export const learnFailed = (
  parts: Parts,
  flight: Flight,
  verdict: Verdict,
  admission: Admission,
  now: number,
): void => {
  const { deadlineAt, cutByCaller } = admission
  if (verdict.kind === 'failure' && cutByCaller && now >= deadlineAt - EARLY_MS) learnCutOff(parts, flight, true, now)
  else learn(parts, flight, verdict, now - flight.startedAt, now)
}

/** Nothing: its caller left, or another attempt answered first. */
export const learnNothing = ({ breaker, endpoints }: Parts, { ticket, placement }: Flight): void => {
  breaker.neutral(ticket)
  if (placement !== null) endpoints.neutral(placement)
}
