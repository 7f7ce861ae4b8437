import { gzipSync } from 'node:zlib'
import type { TestApp } from './harness.ts'
import { metricsProtobuf } from './otlp-sample.ts'

export interface Sent {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

/** Sends bytes to an OTLP path, as any sender would. */
export const post = async (
  weir: TestApp,
  path: string,
  key: string | null,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> => {
  const response = await fetch(new URL(path, weir.url), {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type') === 'application/json'
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: isJson ? JSON.parse(bytes.toString()) : null,
  }
}

export const ENCODINGS = ['json', 'json+gzip', 'protobuf', 'protobuf+gzip'] as const

/** Sends a metrics request in one of the encodings. */
export const postMetrics = (
  weir: TestApp,
  key: string,
  request: object,
  encoding: (typeof ENCODINGS)[number] = 'json',
): Promise<Sent> => {
  const plain = encoding.startsWith('json') ? Buffer.from(JSON.stringify(request)) : metricsProtobuf(request)
  const zipped = encoding.endsWith('gzip')
  return post(weir, '/v1/metrics', key, zipped ? gzipSync(plain) : plain, {
    'content-type': encoding.startsWith('json') ? 'application/json' : 'application/x-protobuf',
    ...(zipped ? { 'content-encoding': 'gzip' } : {}),
  })
}

/** An environment with services, and a key for them; one service: an agent's key. */
export const withKey = async (weir: TestApp, environment: string, ...services: string[]): Promise<string> => {
  await weir.call('POST', '/api/v1/environments', { body: { name: environment } })
  for (const name of services)
    await weir.call('POST', `/api/v1/environments/${environment}/services`, { body: { name } })
  const made = await weir.call('POST', `/api/v1/environments/${environment}/keys`, {
    body: { kind: services.length === 1 ? 'agent' : 'ingest', name: 'test', services },
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.secret
}
