import type { Operator, Setup, Status } from '@weir/api'
import type { RefusalLog } from '../audit/refusal-log.ts'
import { type Result, refused } from '../result.ts'
import { CROSS_SITE_SENTENCES, provenance } from './access-identity.ts'
import type { Asking } from './identity.ts'
import type { Operators } from './operators.ts'
import { crossSiteSignIn } from './same-origin.ts'

export interface SetupDeskParts {
  readonly operators: Operators
  readonly refusals: RefusalLog
  readonly publicOrigins: readonly string[]
  readonly version: string
  readonly databaseId: string
}

/** The way in while there is no operator, and the word whether it is open. */
export class SetupDesk {
  readonly #parts: SetupDeskParts

  constructor(parts: SetupDeskParts) {
    this.#parts = parts
  }

  async status(): Promise<Status> {
    const { operators, version, databaseId } = this.#parts
    return { version, databaseId, needsSetup: await operators.needsSetup() }
  }

  async setUp(asking: Asking, setup: Setup): Promise<Result<Operator>> {
    const foreign = crossSiteSignIn(provenance(asking, this.#parts.publicOrigins))
    const made =
      foreign === null ? await this.#parts.operators.setUp(setup) : refused('forbidden', CROSS_SITE_SENTENCES[foreign])
    if (!made.ok)
      this.#parts.refusals.note({ what: 'set-up', ip: asking.ip, detail: { why: foreign ?? made.refusal.detail } })
    return made
  }
}
