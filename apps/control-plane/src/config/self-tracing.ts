import type { Config } from './config.ts'

/** Ends tracing: what was gathered is sent. */
export type EndTracing = () => Promise<void>

/**
 * The control plane's own traces, where OTEL_EXPORTER_OTLP_ENDPOINT is given; otherwise the SDK is not even loaded and
 * every span is a no-op. The SDK reads its further OTEL_ variables itself.
 */
export const startSelfTracing = async (config: Config): Promise<EndTracing> => {
  if (config.otlpEndpoint === null) return async () => {}
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  process.env.OTEL_METRICS_EXPORTER ??= 'none'
  process.env.OTEL_LOGS_EXPORTER ??= 'none'
  const sdk = new NodeSDK({ serviceName: 'weir-control-plane' })
  sdk.start()
  return () => sdk.shutdown()
}
