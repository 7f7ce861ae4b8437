import type { ServerResponse } from 'node:http'
import type { HttpAnswer } from './problem.ts'

/** Answers without touching the body: Node discards what arrives of it, and the connection stays. */
export const answerRaw = (response: ServerResponse, { status, headers, body }: HttpAnswer): void => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
