import { Injectable } from '@nestjs/common'
import type { Forecast, Traffic } from '@weir/api'
import { effectiveSchema, readPolicy } from '@weir/policy'
import type { EffectivePolicy } from '@weir/policy/model'
import { EffectivePolicies } from '../policies/effective-policies.ts'
import { done, type Result, refused } from '../result.ts'
import { Catalog } from '../services/catalog.ts'
import type { ServiceRef } from '../services/service-ref.ts'
import { Forecaster } from './forecaster.ts'
import { RecordedTraffic } from './recorded-traffic.ts'

/** Work that is played under each policy: some seconds of a processor. More of it is cut to fewer processes, then to the busiest stretch. */
const MOST_ARRIVALS = 300_000

/** Recorded traffic, and what a draft would do to it. */
@Injectable()
export class Forecasts {
  constructor(
    private readonly catalog: Catalog,
    private readonly effective: EffectivePolicies,
    private readonly recorded: RecordedTraffic,
    private readonly forecaster: Forecaster,
  ) {}

  async traffic(ref: ServiceRef, seconds: number): Promise<Result<Traffic>> {
    const known = await this.catalog.service(ref)
    return known.ok ? done(await this.recorded.read(ref, seconds)) : known
  }

  /** Of a document that may be published; one with problems is refused with all of them. */
  async forecast(ref: ServiceRef, document: string, seconds: number): Promise<Result<Forecast>> {
    const read = readPolicy(document)
    if (!read.ok) return refused('invalid', 'The policy has problems: it cannot be played.', read.problems)
    const traffic = await this.traffic(ref, seconds)
    if (!traffic.ok) return traffic
    const { from = '', to = '', gates } = traffic.value
    if (Object.keys(gates).length === 0)
      return done({ state: 'no-traffic', from, to, findings: [], caveats: [], draft: null, live: null })
    const live = await this.#live(ref)
    const draft: EffectivePolicy = { policy: read.policy, quotas: live?.quotas ?? {} }
    const question = { traffic: traffic.value, draft, live, maxArrivals: MOST_ARRIVALS }
    const answer = await this.forecaster.forecast(question)
    return answer.ok ? done({ state: 'predicted', from, to, ...answer.value }) : answer
  }

  async #live(ref: ServiceRef): Promise<EffectivePolicy | null> {
    const snapshot = await this.effective.of(ref)
    // Kept as it was published: settings that came since have their defaults.
    return snapshot === null ? null : effectiveSchema.parse(JSON.parse(snapshot.effective))
  }
}
