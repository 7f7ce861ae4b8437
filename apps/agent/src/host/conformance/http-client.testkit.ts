import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type Answer, type Call, type Client, type Endpoint, type Init, PATHS } from './host.testkit.ts'

const FAULTS: Readonly<Record<number, Answer['fault']>> = { 429: 'caller', 503: 'service' }

const answerOf = ({ statusCode = 0, headers }: IncomingMessage, body: string): Answer => {
  const refused = headers['weir-reason'] !== undefined
  const after = headers['retry-after']
  return {
    kind: refused ? 'refusal' : statusCode < 400 ? 'answer' : 'error',
    body,
    reason: headers['weir-reason']?.toString(),
    signal: headers['weir-signal']?.toString(),
    fault: FAULTS[statusCode] ?? null,
    waitMs: after === undefined ? null : Number(after) * 1_000,
    headers: headers as Record<string, string | undefined>,
  }
}

/** A client over real, kept-alive connections. */
export class HttpTestClient implements Client {
  readonly agent = new Agent({ keepAlive: true, maxSockets: 50 })
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  call(endpoint: Endpoint, { context = {}, body }: Init = {}): Call {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const client = this.open(text === undefined ? 'GET' : 'POST', PATHS[endpoint], {
      ...context,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(text.length) }),
    })
    client.end(text)
    const answer = this.answer(client)
    answer.catch(() => undefined)
    return { answer, leave: () => client.destroy() }
  }

  async slowUpload(): Promise<Answer> {
    const client = this.open('POST', PATHS.echo, {
      'content-type': 'application/json',
      'content-length': String(1_024 * 1_024),
    })
    client.write('"'.padEnd(1_024, 'x'))
    const answer = await this.answer(client)
    client.destroy()
    return answer
  }

  halfBody(): { leave(): void } {
    const client = this.open('POST', PATHS.echo, { 'content-type': 'application/json', 'content-length': '100' })
    client.write('{"a":')
    return { leave: () => client.destroy() }
  }

  brokenBody(): Promise<unknown> {
    const client = this.open('POST', PATHS.echo, { 'content-type': 'application/json' })
    client.end('{"broken":')
    return this.answer(client)
  }

  open(method: string, path: string, headers: Readonly<Record<string, string>> = {}): ClientRequest {
    const client = request({ port: this.#port, host: '127.0.0.1', method, path, headers, agent: this.agent })
    client.on('error', () => undefined)
    return client
  }

  answer(client: ClientRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      client.on('error', reject)
      client.on('response', (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('error', reject)
        response.on('end', () => resolve(answerOf(response, body)))
      })
    })
  }

  close(): void {
    this.agent.destroy()
  }
}
