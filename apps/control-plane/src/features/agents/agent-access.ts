import type { Asking } from '../access/identity.ts'
import type { RefusalLog } from '../audit/refusal-log.ts'
import type { AgentKeys } from '../keys/agent-keys.ts'
import { done, type Result, refused } from '../result.ts'
import type { AgentKeyIdentity } from './agent-session.ts'

/** Finds out by its key which service an agent may speak for; every refusal goes to the refusal log. */
export class AgentAccess {
  constructor(
    private readonly keys: Pick<AgentKeys, 'authenticate'>,
    private readonly refusals: Pick<RefusalLog, 'note'>,
  ) {}

  /** Refused: `unauthenticated` (no key, unknown or revoked), `forbidden` (a key that is for figures only). */
  async check({ headers, ip }: Pick<Asking, 'headers' | 'ip'>): Promise<Result<AgentKeyIdentity>> {
    const secret = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
    const scope = secret === undefined ? null : await this.keys.authenticate(secret)
    if (scope === null) {
      this.refusals.note({ what: 'key', ip, detail: { given: secret !== undefined } })
      return refused('unauthenticated', 'Send a valid agent key as a bearer token.')
    }
    const [service, more] = scope.services
    if (scope.kind !== 'agent' || service === undefined || more !== undefined) {
      this.refusals.note({
        what: 'key',
        ip,
        environment: scope.environment,
        detail: { key: scope.keyId, kind: scope.kind },
      })
      return refused('forbidden', 'This key sends figures only; an agent needs an agent key.')
    }
    return done({ keyId: scope.keyId, environment: scope.environment, service: service.name, ip })
  }
}
