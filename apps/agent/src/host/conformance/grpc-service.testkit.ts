import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js'
import type { Endpoint } from './host.testkit.ts'

const serialize = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const deserialize = (bytes: Buffer): unknown => JSON.parse(bytes.toString())

const method = (path: string, responseStream: boolean): MethodDefinition<unknown, unknown> => ({
  path,
  requestStream: false,
  responseStream,
  requestSerialize: serialize,
  requestDeserialize: deserialize,
  responseSerialize: serialize,
  responseDeserialize: deserialize,
})

/** The endpoints as a gRPC service whose messages are JSON. */
export const SERVICE = {
  work: method('/weir.Test/work', false),
  echo: method('/weir.Test/echo', false),
  throws: method('/weir.Test/throws', false),
  stream: method('/weir.Test/stream', true),
  cut: method('/weir.Test/cut', true),
  health: method('/grpc.health.v1.Health/Check', false),
  quiet: method('/weir.Test/quiet', false),
  nested: method('/weir.Test/nested', false),
  retried: method('/weir.Test/retried', false),
} satisfies Record<Endpoint, MethodDefinition<unknown, unknown>> satisfies ServiceDefinition
