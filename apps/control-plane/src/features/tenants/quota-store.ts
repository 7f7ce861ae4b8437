import type { QuotaRow } from '@weir/api'
import type { Quota } from '@weir/policy/model'
import type { Expected } from '../expected.ts'
import type { PageRequest, Rows } from '../paging.ts'
import type { Committed } from '../policies/policy-store.ts'
import type { Result } from '../result.ts'
import type { ServiceRef } from '../services/service-ref.ts'

/** A quota belongs to a service, a resource and a tenant. */
export interface QuotaRef extends ServiceRef {
  readonly resource: string
  readonly tenant: string
}

export interface QuotaKey {
  readonly resource: string
  readonly tenant: string
}

export interface QuotaWrite {
  readonly expected: Expected
  readonly author: string
  readonly reason: string
}

/** Tenants' quotas. A version is never used twice within a service, also after a quota was removed and made again. */
export abstract class QuotaStore {
  abstract list(ref: ServiceRef, page: PageRequest<QuotaKey>): Promise<Result<Rows<QuotaRow>>>
  abstract get(ref: QuotaRef): Promise<Result<QuotaRow>>
  abstract put(ref: QuotaRef, quota: Quota, write: QuotaWrite): Promise<Result<Committed>>
  abstract remove(ref: QuotaRef, write: QuotaWrite): Promise<Result<Committed>>
}

export const quotaTag = (version: number): string => `"quota-${version}"`
