import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { HttpAnswer, HttpClient, HttpRequest } from './core/http.ts'

/** At most this many connections of an agent to its control plane, beside the socket: one poll, one export of figures, one of spans. */
const MAX_SOCKETS = 3

const answerOf = (response: IncomingMessage, maxBytes: number): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else response.destroy(new Error(`The answer is longer than ${maxBytes} bytes.`))
    })
    response.on('error', reject)
    response.on('close', () => reject(new Error('The connection ended in the middle of the answer.')))
    response.on('end', () => {
      const headers: Record<string, string | undefined> = {}
      for (const [name, values] of Object.entries(response.headersDistinct)) headers[name] = values?.[0]
      resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString('utf8') })
    })
  })

/** HTTP over Node's own client, with connections of its own: neither the host's pools nor its instrumentation see them. */
export const nodeHttp = (): HttpClient => {
  const plain = new PlainAgent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  const tls = new TlsAgent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  return {
    send: (request: HttpRequest) =>
      new Promise((resolve, reject) => {
        const secure = request.url.startsWith('https:')
        const outgoing = (secure ? tlsRequest : plainRequest)(request.url, {
          method: request.method,
          agent: secure ? tls : plain,
          headers: {
            ...request.headers,
            ...(request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }),
          },
        })
        const timer = setTimeout(
          () => outgoing.destroy(new Error(`No answer within ${request.timeoutMs} ms.`)),
          request.timeoutMs,
        )
        timer.unref()
        // A host that has nothing left to do must be able to end.
        outgoing.on('socket', (socket) => socket.unref())
        outgoing.on('error', reject)
        outgoing.on('close', () => clearTimeout(timer))
        outgoing.on('response', (response) => answerOf(response, request.maxBytes).then(resolve, reject))
        outgoing.end(request.body)
      }),
    close: () => {
      plain.destroy()
      tls.destroy()
    },
  }
}
