import type { Environment, Service } from '@weir/api'
import type { PageRequest, Rows } from '../paging.ts'
import type { Result } from '../result.ts'
import type { ServiceRef } from './service-ref.ts'

/** Environments and services: what there is. */
export abstract class Catalog {
  abstract environments(page: PageRequest<string>): Promise<Rows<Environment>>
  /** `conflict` where the name is taken. */
  abstract createEnvironment(name: string, actor: string): Promise<Result<Environment>>
  abstract services(environment: string, page: PageRequest<string>): Promise<Result<Rows<Service>>>
  abstract service(ref: ServiceRef): Promise<Result<Service>>
  abstract createService(ref: ServiceRef, actor: string): Promise<Result<Service>>
}
