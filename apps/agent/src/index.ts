export {
  type Entry,
  Gate,
  type GateOptions,
  type GateSettings,
  type Permit,
  type Refusal,
  type RefusalReason,
  type RunContext,
  type Work,
} from './admission/gate.ts'
export { RefusedError } from './admission/refused.ts'
export { currentContext, runInContext, type WorkContext } from './core/context.ts'
export type { WeirOptions } from './options.ts'
export { Dependency } from './outbound/dependency.ts'
export type { Attempt, CallOptions } from './outbound/parts.ts'
export { WeirRefusal, WeirTimeout } from './outbound/refusal.ts'
export { Weir, type WeirStatus } from './weir.ts'
