import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { credentials, Client as GrpcClient, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { SERVICE } from './grpc-service.testkit.ts'
import type { Answer, Call, Client, Endpoint, Init } from './host.testkit.ts'

const FAULTS: Readonly<Record<number, Answer['fault']>> = {
  [status.RESOURCE_EXHAUSTED]: 'caller',
  [status.UNAVAILABLE]: 'service',
}

const answerOf = (code: number, headers: Record<string, string | undefined>, body: string): Answer => {
  const refused = headers['weir-reason'] !== undefined
  const pushback = Number(headers['grpc-retry-pushback-ms'] ?? -1)
  return {
    kind: refused ? 'refusal' : code === status.OK ? 'answer' : 'error',
    body,
    reason: headers['weir-reason'],
    signal: headers['weir-signal'],
    fault: FAULTS[code] ?? null,
    waitMs: pushback < 0 ? null : pushback,
    headers,
  }
}

const textOf = (metadata: Metadata): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(metadata.getMap()).map(([name, value]) => [name, String(value)]))

/** `weir-deadline-ms` becomes the deadline of gRPC itself; all else is metadata. */
const contextOf = (context: Readonly<Record<string, string>>) => {
  const metadata = new Metadata()
  const { 'weir-deadline-ms': deadlineMs, ...rest } = context
  for (const [name, value] of Object.entries(rest)) metadata.set(name, value)
  return { metadata, options: deadlineMs === undefined ? {} : { deadline: Date.now() + Number(deadlineMs) } }
}

export class GrpcTestClient implements Client {
  readonly #client: GrpcClient
  readonly #raw: ClientHttp2Session

  constructor(port: number) {
    this.#client = new GrpcClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.enable_retries': 0,
    })
    this.#raw = connect(`http://127.0.0.1:${port}`)
    this.#raw.on('error', () => undefined)
  }

  call(endpoint: Endpoint, { context = {}, body = {} }: Init = {}): Call {
    const { path, requestSerialize, responseDeserialize, responseStream } = SERVICE[endpoint]
    const { metadata, options } = contextOf(context)
    if (responseStream) {
      const call = this.#client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        body,
        metadata,
        options,
      )
      let words = ''
      const answer = new Promise<Answer>((resolve) => {
        call.on('data', (word) => {
          words += word
        })
        call.on('error', () => undefined)
        call.on('status', ({ code, metadata }) => resolve(answerOf(code, textOf(metadata), words)))
      })
      return { answer, leave: () => call.cancel() }
    }
    let leave: () => void = () => undefined
    const answer = new Promise<Answer>((resolve) => {
      let value: unknown
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        body,
        metadata,
        options,
        (_error: ServiceError | null, given) => {
          value = given
        },
      )
      call.on('status', ({ code, metadata }) =>
        setImmediate(() =>
          resolve(answerOf(code, textOf(metadata), typeof value === 'string' ? value : JSON.stringify(value))),
        ),
      )
      leave = () => call.cancel()
    })
    return { answer, leave: () => leave() }
  }

  slowUpload(): Promise<Answer> {
    const stream = this.#open(1_024 * 1_024, Buffer.alloc(1_024, 0x20))
    return new Promise((resolve, reject) => {
      stream.on('error', reject)
      stream.on('response', (headers) => {
        resolve(answerOf(Number(headers['grpc-status']), headers as Record<string, string>, ''))
        stream.close()
      })
    })
  }

  halfBody(): { leave(): void } {
    const stream = this.#open(100, Buffer.from('{"a":'))
    stream.on('error', () => undefined)
    return { leave: () => stream.close(8) }
  }

  brokenBody(): Promise<unknown> {
    const stream = this.#open(10, Buffer.from('{"broken":'))
    stream.end()
    return new Promise((resolve) => stream.on('response', resolve))
  }

  /** A message of so many bytes, begun. */
  #open(length: number, begin: Buffer): ClientHttp2Stream {
    const stream = this.#raw.request({
      ':method': 'POST',
      ':path': SERVICE.echo.path,
      'content-type': 'application/grpc+proto',
      te: 'trailers',
    })
    const head = Buffer.alloc(5)
    head.writeUInt32BE(length, 1)
    stream.write(Buffer.concat([head, begin]))
    return stream
  }

  close(): void {
    this.#client.close()
    this.#raw.destroy()
  }
}
