export {
  type Credits,
  type DeferJob,
  type DeferOptions,
  type DeferPort,
  type Deferred,
  type DeferredWork,
  type Entry,
  type Explanation,
  Gate,
  type GateOptions,
  type GateSettings,
  type MakeJob,
  type Permit,
  type Refusal,
  type RunContext,
  type Work,
} from './admission/gate.ts'
export { RefusedError } from './admission/refused.ts'
export type { RefusalReason } from './admission/work.ts'
export type { Consumer, Tap } from './consumer/consumer.ts'
export type { Fate, Message, MessageContext } from './consumer/message.ts'
export { currentContext, runInContext, type WorkContext } from './core/context.ts'
export type { DurableQueue } from './core/durable.ts'
export type { WeirOptions } from './options.ts'
export { Dependency } from './outbound/dependency.ts'
export type { Fallback, FallbackRun } from './outbound/fallback.ts'
export { type DeferredCall, deferWrite, firstOf, LastGood, type LastGoodOptions } from './outbound/fallbacks.ts'
export type { Attempt, CallOptions } from './outbound/parts.ts'
export { parseGrpcPushback } from './outbound/pushback.ts'
export { WeirRefusal, WeirTimeout } from './outbound/refusal.ts'
export {
  type AttemptEnd,
  FAILURE,
  FINAL_FAILURE,
  NEUTRAL,
  refused,
  SUCCESS,
  type Verdict,
} from './outbound/verdict.ts'
export type { WeirStatus } from './status.ts'
export { Weir } from './weir.ts'
