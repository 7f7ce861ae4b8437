/** The control plane's own figures, for an engine that scrapes. */
export abstract class OwnMetrics {
  abstract readonly contentType: string
  /** In Prometheus' text format. */
  abstract text(): Promise<string>
}
