import type { AlertRule, Environment, Service } from '@weir/api'
import type { Expected } from '../expected.ts'
import type { PageRequest, Rows } from '../paging.ts'
import type { Result } from '../result.ts'
import type { ServiceRef } from './service-ref.ts'

/** A service with the version of its alert rule, which is what its ETag names. */
export interface VersionedService {
  readonly service: Service
  readonly alertVersion: number
}

/** Environments and services: what there is. */
export abstract class Catalog {
  abstract environments(page: PageRequest<string>): Promise<Rows<Environment>>
  /** `conflict` where the name is taken. */
  abstract createEnvironment(name: string, actor: string): Promise<Result<Environment>>
  abstract services(environment: string, page: PageRequest<string>): Promise<Result<Rows<Service>>>
  abstract service(ref: ServiceRef): Promise<Result<VersionedService>>
  abstract createService(ref: ServiceRef, actor: string): Promise<Result<VersionedService>>
  abstract setAlertRule(
    ref: ServiceRef,
    expected: Expected,
    rule: AlertRule,
    actor: string,
  ): Promise<Result<VersionedService>>
}

/** Tag of a service's representation, as far as it can be written: its alert rule. */
export const alertTag = (version: number): string => `"alert-rule-${version}"`
