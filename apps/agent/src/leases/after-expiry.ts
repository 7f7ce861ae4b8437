import type { TenantsPolicy } from '@weir/policy/model'

/** What becomes of a lease that ended and was not renewed. */
export interface AfterExpiry {
  readonly rule: 'safe' | 'deny' | 'hold'
  /** 0 unless it is held. */
  readonly holdMs: number
}

export const AFTER_EXPIRY: AfterExpiry = { rule: 'safe', holdMs: 0 }

export const afterExpiry = ({ expiry, holdSeconds }: TenantsPolicy): AfterExpiry => ({
  rule: expiry,
  holdMs: expiry === 'hold' ? holdSeconds * 1_000 : 0,
})
