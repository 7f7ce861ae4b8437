import type { MethodDefinition } from '@grpc/grpc-js'

const serialize = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const deserialize = (bytes: Buffer): unknown => JSON.parse(bytes.toString())

const unary = (path: string): MethodDefinition<unknown, unknown> => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: serialize,
  requestDeserialize: deserialize,
  responseSerialize: serialize,
  responseDeserialize: deserialize,
})

/** Messages are JSON here; a real service generates both from its proto files. */
export const REPORTS = { get: unary('/example.Reports/Get') }
export const HEALTH = { check: unary('/grpc.health.v1.Health/Check') }
