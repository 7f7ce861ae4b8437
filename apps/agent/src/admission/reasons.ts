import { GATE_REASONS, type GateReason } from '@weir/wire/model'

/** The reasons of the contract by number: decisions travel as small integers. */
export const REASONS = Object.keys(GATE_REASONS) as GateReason[]

const numberOf = (reason: GateReason): number => REASONS.indexOf(reason)

export const LIMIT_REACHED = numberOf('limit-reached')
export const QUEUE_FULL = numberOf('queue-full')
export const QUEUE_TIMEOUT = numberOf('queue-timeout')
export const WOULD_BE_LATE = numberOf('would-be-late')
export const CLASS_SHED = numberOf('class-shed')
export const DEFER_FAILED = numberOf('defer-failed')
export const TENANT_RATE = numberOf('tenant-rate')
export const TENANT_CONCURRENCY = numberOf('tenant-concurrency')
export const UNKNOWN_TENANT = numberOf('unknown-tenant')
export const DRAINING = numberOf('draining')
export const EXPIRED_ON_ARRIVAL = numberOf('expired-on-arrival')
export const EXPIRED_IN_QUEUE = numberOf('expired-in-queue')

/** By number: refused because this replica has no room, which another may have. */
export const SHORT_OF_ROOM: readonly boolean[] = REASONS.map(
  (reason) => GATE_REASONS[reason].signal === 'elsewhere' && reason !== 'draining',
)

/** Verdicts that are no refusal. */
export const ACCEPT = -1
export const WAIT = -2
