import { Injectable } from '@nestjs/common'
import type { Change, Diff, Published, Validation } from '@weir/api'
import { diffPolicies, type Policy, readPolicy } from '@weir/policy'
import type { Expected } from '../expected.ts'
import { Announcer } from '../outbox/announcer.ts'
import { done, type Result, refused } from '../result.ts'
import type { ServiceRef } from '../services/service-ref.ts'
import { type Committed, PolicyStore, type PreparedPolicy } from './policy-store.ts'

export interface DocumentText {
  readonly document: string
  readonly format: 'yaml' | 'json'
}

interface Write {
  readonly expected: Expected
  readonly author: string
  readonly reason: string
}

/** Validating, comparing and publishing policy documents. */
@Injectable()
export class Policies {
  constructor(
    private readonly store: PolicyStore,
    private readonly announcer: Announcer,
  ) {}

  validate(document: string): Validation {
    const read = readPolicy(document)
    return read.ok ? { ok: true, problems: [] } : { ok: false, problems: [...read.problems] }
  }

  /** What publishing the document would change against a version; by default against the present one. */
  async diff(ref: ServiceRef, { document }: DocumentText, against: number | undefined): Promise<Result<Diff>> {
    const read = prepare({ document, format: 'yaml' })
    if (!read.ok) return read
    const base = await this.#base(ref, against)
    if (!base.ok) return base
    const changes = diffPolicies(base.value.policy, read.value.policy)
    const refusals = await this.store.refusedPaths(ref)
    if (!refusals.ok) return refusals
    const unsupportedBy = refusals.value.filter((paths) => stays(paths, changes)).length
    return done({ against: base.value.version, changes: [...changes], unsupportedBy })
  }

  async publish(ref: ServiceRef, text: DocumentText, write: Write): Promise<Result<Published>> {
    const prepared = prepare(text)
    if (!prepared.ok) return prepared
    return this.#tell(await this.store.publish(ref, { ...prepared.value, ...write, rolledBackTo: null }))
  }

  /** Publishes an earlier version's document again, as a new version. It is read anew: what was valid once may not be now. */
  async rollBack(ref: ServiceRef, version: number, write: Write): Promise<Result<Published>> {
    const earlier = await this.store.version(ref, version)
    if (!earlier.ok) return earlier
    const prepared = prepare(earlier.value)
    if (!prepared.ok) return prepared
    return this.#tell(await this.store.publish(ref, { ...prepared.value, ...write, rolledBackTo: version }))
  }

  #tell(result: Result<Committed>): Result<Published> {
    if (!result.ok) return result
    const { serviceId, ...published } = result.value
    this.announcer.announce(serviceId, published.revision)
    return done(published)
  }

  async #base(
    ref: ServiceRef,
    against: number | undefined,
  ): Promise<Result<{ version: number; policy: Policy | null }>> {
    if (against === 0) return done({ version: 0, policy: null })
    if (against !== undefined) return this.store.version(ref, against)
    const current = await this.store.current(ref)
    if (!current.ok) return current
    return done({ version: current.value.version, policy: current.value.published?.policy ?? null })
  }
}

const prepare = ({ document, format }: DocumentText): Result<PreparedPolicy> => {
  const read = readPolicy(document)
  if (read.ok) return done({ document, format, policy: read.policy })
  const count = read.problems.length
  const detail = `The policy has ${count === 1 ? 'a problem' : `${count} problems`}.`
  return refused('invalid', detail, read.problems)
}

/** Whether something that an agent refused is still there: no change touches it. */
const stays = (paths: readonly string[], changes: readonly Change[]): boolean =>
  paths.some((path) => !changes.some((change) => covers(change.path, path) || covers(path, change.path)))

const covers = (outer: string, inner: string): boolean => inner === outer || inner.startsWith(`${outer}.`)
