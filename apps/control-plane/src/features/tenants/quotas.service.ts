import { Injectable } from '@nestjs/common'
import type { Published } from '@weir/api'
import type { Quota } from '@weir/policy/model'
import { Announcer } from '../outbox/announcer.ts'
import type { Committed } from '../policies/policy-store.ts'
import { done, type Result } from '../result.ts'
import { type QuotaRef, QuotaStore, type QuotaWrite } from './quota-store.ts'

/** Writing tenants' quotas. Each write is a publish of its own. */
@Injectable()
export class Quotas {
  constructor(
    private readonly store: QuotaStore,
    private readonly announcer: Announcer,
  ) {}

  async put(ref: QuotaRef, quota: Quota, write: QuotaWrite): Promise<Result<Published>> {
    return this.#tell(await this.store.put(ref, quota, write))
  }

  async remove(ref: QuotaRef, write: QuotaWrite): Promise<Result<Published>> {
    return this.#tell(await this.store.remove(ref, write))
  }

  #tell(result: Result<Committed>): Result<Published> {
    if (!result.ok) return result
    const { serviceId, ...published } = result.value
    this.announcer.announce(serviceId, published.revision)
    return done(published)
  }
}
