import type { Decision } from '@weir/api'
import { figure, milliseconds, NOTHING } from '../format/numbers.ts'
import { reasonTitle } from './reasons.ts'

type Words = (decision: Decision) => string

const slots = ({ inputs }: Decision): string => `limit ${figure(inputs.limit)}, in flight ${figure(inputs.inFlight)}`
const tenant = ({ tenant }: Decision): string => (tenant === null || tenant === '' ? 'Its tenant' : `Tenant ${tenant}`)
const known = (value: number | null): value is number => value !== null

/** The predicted wait and the delay of the event loop against the shorter of what the queue and the deadline allow. */
const late = ({ inputs: { predictedWaitMs, delayMs, maxWaitMs, remainingMs } }: Decision): string => {
  if (!known(predictedWaitMs))
    return `it would have started too late: ${milliseconds(remainingMs)} were left until its deadline`
  const behind = (delayMs ?? 0) > 0 ? ` and ${milliseconds(delayMs)} for the event loop` : ''
  const allowed =
    known(maxWaitMs) && (!known(remainingMs) || maxWaitMs < remainingMs)
      ? `the queue lets nobody wait longer than ${milliseconds(maxWaitMs)}`
      : `had ${milliseconds(remainingMs)} until its deadline`
  return `it would have waited ${milliseconds(predictedWaitMs)}${behind}, and ${allowed}`
}

/** What was compared with what, for each reason of the contract. */
const WORDS: Readonly<Record<string, Words>> = {
  'limit-reached': (d) => `all slots were taken (${slots(d)})${d.inputs.maxWaitMs === 0 ? ' and nobody may wait' : ''}`,
  'queue-full': (d) => `the queue was full: ${figure(d.inputs.waiting)} waited (${slots(d)})`,
  'queue-timeout': (d) =>
    `it waited ${milliseconds(d.waitedMs)}, and the queue lets nobody wait longer than ${milliseconds(d.inputs.maxWaitMs)}`,
  'would-be-late': late,
  'class-shed': (d) =>
    `class ${d.class ?? NOTHING} is over its reserve at overload level ${figure(d.inputs.level)}: it held ${figure(d.inputs.classUsed)} slots, ${figure(d.inputs.classReserve)} are reserved for it (${slots(d)})`,
  'tenant-rate': (d) =>
    `${tenant(d)} had ${figure(d.inputs.tenantTokens)} of its rate left, and the work costs ${figure(d.inputs.cost)}`,
  'tenant-concurrency': (d) =>
    `${tenant(d)} held ${figure(d.inputs.tenantHeld)} of the ${figure(d.inputs.tenantConcurrency)} slots that it may hold`,
  'unknown-tenant': (d) => `${tenant(d)} has no quota here, and unknown tenants are refused`,
  'defer-failed': () => 'it could not be made durable for later',
  draining: () => 'the process was shutting down',
  'expired-on-arrival': () => 'its deadline had passed when it arrived',
  'expired-in-queue': (d) => `its deadline passed after it had waited ${milliseconds(d.waitedMs)}`,
  'breaker-open': () => 'the breaker was open',
  'ceiling-reached': (d) =>
    `all calls that may run at once ran (ceiling ${figure(d.inputs.limit)}, in flight ${figure(d.inputs.inFlight)})`,
  throttled: () => 'the callee refuses so much that fewer calls are sent',
  'deadline-passed': () => 'the deadline had passed before the call',
}

/** `Shed: class sheddable is over its reserve …`: the rule that decided, with what it compared. */
export const decisionSentence = (decision: Decision): string => {
  const outcome = decision.outcome === 'expired' ? 'Expired' : 'Shed'
  return `${outcome}: ${WORDS[decision.reason]?.(decision) ?? reasonTitle(decision.reason).toLowerCase()}`
}

/** Path of the setting that decided, as the policy document has it; `null`: none. */
export const settingOf = ({ rule, kind, name }: Decision): string | null => {
  if (rule === null) return null
  if (rule === 'quota' || rule.startsWith('quota.')) return rule
  if (rule === 'tenants' || rule.startsWith('tenants.')) return rule
  return `${kind === 'gate' ? 'gates' : 'dependencies'}.${name}.${rule}`
}

const LABELS: readonly (readonly [keyof Decision['inputs'], string, (value: number | null) => string])[] = [
  ['limit', 'Limit', figure],
  ['inFlight', 'In flight', figure],
  ['waiting', 'Waiting', figure],
  ['level', 'Overload level', figure],
  ['remainingMs', 'Until its deadline', milliseconds],
  ['predictedWaitMs', 'Predicted wait', milliseconds],
  ['maxWaitMs', 'Longest wait allowed', milliseconds],
  ['delayMs', 'Event-loop delay', milliseconds],
  ['classUsed', 'Slots of its class in use', figure],
  ['classReserve', 'Reserved for its class', figure],
  ['keptIdle', 'Kept free for other classes', figure],
  ['tenantHeld', 'Slots of its tenant in use', figure],
  ['tenantConcurrency', 'Slots its tenant may hold', figure],
  ['tenantTokens', "Left of its tenant's rate", figure],
  ['cost', 'Cost', figure],
]

/** Everything that the decision read, named; what it did not ask is left out. */
export const inputsOf = ({ inputs }: Decision): readonly (readonly [label: string, value: string])[] =>
  LABELS.flatMap(([key, label, format]) => (inputs[key] === null ? [] : [[label, format(inputs[key])] as const]))
