export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Of the whole exchange. */
  readonly timeoutMs: number
  /** A longer answer is refused, not cut. */
  readonly maxBytes: number
}

export interface HttpAnswer {
  readonly status: number
  /** Lower-case names; of a repeated header the first. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** One exchange, no redirects, no cookies. Rejects when there was no answer. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Ends idle and running exchanges. */
  close(): void
}
