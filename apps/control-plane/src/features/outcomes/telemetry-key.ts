/** Whom a sender's key lets it speak for. */
export interface TelemetryKey {
  readonly environment: string
  /** One for an agent's key, a list for an ingest key. */
  readonly services: readonly string[]
  readonly kind: 'agent' | 'ingest'
}
