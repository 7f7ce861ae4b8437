import type { ServerResponse } from 'node:http'
import type { HttpRefusal } from './problem.ts'

/** Answers without touching the body: Node discards what arrives of it, and the connection stays. */
export const refuseRaw = (response: ServerResponse, { status, headers, body }: HttpRefusal): void => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
