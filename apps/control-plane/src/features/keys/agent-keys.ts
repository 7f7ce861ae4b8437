import type { CreatedKey, Key } from '@weir/api'
import type { PageRequest, Rows } from '../paging.ts'
import type { Result } from '../result.ts'

/** What a key may speak for. An agent key has exactly one service; an ingest key sends OTLP only. */
export interface KeyScope {
  readonly keyId: string
  readonly kind: 'agent' | 'ingest'
  readonly environmentId: string
  readonly environment: string
  readonly services: readonly { readonly id: string; readonly name: string }[]
}

export interface NewKey {
  readonly kind: 'agent' | 'ingest'
  readonly name: string
  readonly services: readonly string[]
}

/** Keys of agents and Collectors. A secret is 256 random bits, shown once; only its SHA-256 is kept. */
export abstract class AgentKeys {
  /** Whose secret it is; `null` for an unknown or revoked one. */
  abstract authenticate(secret: string): Promise<KeyScope | null>
  abstract list(environment: string, page: PageRequest<string>): Promise<Result<Rows<Key>>>
  abstract create(environment: string, key: NewKey, actor: string): Promise<Result<CreatedKey>>
  /** Which of these keys are revoked, or gone: for sockets whose replica did not hear of it. */
  abstract revoked(ids: readonly string[]): Promise<readonly string[]>
  /** Takes effect at once: subscribers of the bus topic `key-revoked` close its sockets. */
  abstract revoke(environment: string, id: string, actor: string): Promise<Result<null>>
}
