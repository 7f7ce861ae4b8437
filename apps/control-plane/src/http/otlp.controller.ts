import { Injectable, Logger } from '@nestjs/common'
import { HEADERS } from '@weir/wire/model'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RefusalLog } from '../features/audit/refusal-log.ts'
import { DecisionIntake } from '../features/decisions/decision-intake.ts'
import type { StoredDecision } from '../features/decisions/decision-store.ts'
import { readDecisions } from '../features/decisions/read-decisions.ts'
import { AgentKeys, type KeyScope } from '../features/keys/agent-keys.ts'
import { Ingest } from '../features/outcomes/ingest.ts'
import { KeyRate } from '../features/outcomes/key-rate.ts'
import { type Reading, readMetrics } from '../features/outcomes/read-metrics.ts'
import { readSpans } from '../features/outcomes/read-spans.ts'
import type { TelemetryKey } from '../features/outcomes/telemetry-key.ts'
import { OwnGates } from '../features/self/own-gates.ts'
import * as otlp from '../otlp/http.ts'
import { Malformed, type OtlpEncoding, type OtlpSignal } from '../otlp/model.ts'
import { endWith } from './own-gates.hook.ts'

/** Asks a sender to come again when this replica cannot make figures durable now. */
const RETRY_AFTER_SECONDS = 5
/** Too much waits for its transaction: the next one is a fraction of a second away. */
const BUSY_RETRY_AFTER_SECONDS = 1

const logger = new Logger('ingest')
const METRICS = '/v1/metrics'
/** What a piece of a point costs this thread when its row is made, beside reading it, milliseconds. */
const PIECE_MS = 0.004

interface Sender {
  readonly scope: KeyScope
  readonly encoding: OtlpEncoding
}

interface Read extends Reading {
  readonly decisions: readonly StoredDecision[]
}

/** An answer that is not 200. */
class OtlpError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) })

/**
 * OTLP/HTTP: `POST /v1/metrics` and `/v1/traces`. Routes of the server itself, in a scope of their own: bodies are bytes, errors are google.rpc.Status
 * in the encoding of the request, and the key is checked before the body is read.
 */
@Injectable()
export class OtlpController {
  readonly #senders = new WeakMap<FastifyRequest, Sender>()

  constructor(
    private readonly keys: AgentKeys,
    private readonly ingest: Ingest,
    private readonly refusals: RefusalLog,
    private readonly decisions: DecisionIntake,
    private readonly rate: KeyRate,
    private readonly gates: OwnGates,
  ) {}

  /** Adds the routes. Called once, before the server listens. */
  readonly routes = async (scope: FastifyInstance): Promise<void> => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: otlp.MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onRequest', (request, reply) => this.#admit(request, reply))
    scope.setErrorHandler((error, request, reply) => this.#refuse(error, request, reply))
    scope.post(METRICS, (request, reply) => this.#export(request, reply, 'metrics'))
    scope.post('/v1/traces', (request, reply) => this.#export(request, reply, 'traces'))
  }

  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const encoding = otlp.encodingOf(request.headers['content-type'])
    if (encoding === null)
      throw new OtlpError(415, `Content-Type is ${Object.values(otlp.CONTENT_TYPES).join(' or ')}.`)
    const secret = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    const scope = secret === undefined ? null : await this.#authenticate(secret)
    if (scope === null) {
      this.refusals.note({ what: 'key', ip: request.ip, detail: { given: secret !== undefined } })
      throw new OtlpError(401, 'Send an agent key or an ingest key as a bearer token.', {
        'www-authenticate': 'Bearer',
      })
    }
    const wait = this.rate.take(scope.keyId, performance.now())
    if (wait > 0) throw new OtlpError(429, 'This key sends more than it may.', retryAfter(wait))
    const admission = await this.gates.enter('ingest', {
      tenant: scope.keyId,
      criticality: request.routeOptions.url === METRICS ? 'critical' : 'sheddable',
      route: request.routeOptions.url ?? '',
    })
    if (!admission.admitted)
      throw new OtlpError(admission.status, `${admission.title}.`, {
        ...retryAfter(Math.ceil(admission.retryAfterMs / 1_000)),
        [HEADERS.signal]: admission.signal,
      })
    endWith(request, admission, reply)
    this.#senders.set(request, { scope, encoding })
  }

  async #authenticate(secret: string): Promise<KeyScope | null> {
    try {
      return await this.keys.authenticate(secret)
    } catch {
      throw new OtlpError(503, 'The key cannot be checked now.', retryAfter(RETRY_AFTER_SECONDS))
    }
  }

  async #export(request: FastifyRequest, reply: FastifyReply, signal: OtlpSignal): Promise<void> {
    const sender = this.#senders.get(request)
    if (sender === undefined) throw new OtlpError(401, 'No key.')
    const { encoding, scope } = sender
    const given = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const inflated = await otlp.inflate(given, request.headers['content-encoding'])
    if (!inflated.ok) throw new OtlpError(inflated.status, inflated.message)
    const from = performance.now()
    const reading = this.#read(inflated.body, signal, sender)
    const { rejections, decisions, spread } = reading
    this.rate.charge(scope.keyId, inflated.body.length, performance.now() - from + spread * PIECE_MS)
    if (rejections.foreign > 0)
      this.refusals.note({
        what: 'service',
        ip: request.ip,
        environment: scope.environment,
        detail: { key: scope.keyId, points: rejections.foreign },
      })
    this.decisions.take(decisions, Date.now())
    const taken = this.ingest.take(reading)
    if (taken === false)
      throw new OtlpError(503, 'Too many figures wait to be written.', retryAfter(BUSY_RETRY_AFTER_SECONDS))
    try {
      await taken
    } catch (error) {
      logger.error(error)
      throw new OtlpError(503, 'The figures cannot be written now.', retryAfter(RETRY_AFTER_SECONDS))
    }
    const outcome = { rejected: rejections.total, message: rejections.message }
    await reply.type(otlp.CONTENT_TYPES[encoding]).send(otlp.successBody(signal, encoding, outcome))
  }

  #read(body: Uint8Array, signal: OtlpSignal, { scope, encoding }: Sender): Read {
    const key: TelemetryKey = {
      environment: scope.environment,
      services: scope.services.map(({ name }) => name),
      kind: scope.kind,
    }
    try {
      if (signal === 'metrics')
        return { ...readMetrics(otlp.readMetrics(body, encoding), key, Date.now()), decisions: [] }
      const traces = otlp.readTraces(body, encoding)
      return { ...readSpans(traces, key, Date.now()), decisions: readDecisions(traces, key, Date.now()) }
    } catch (error) {
      if (error instanceof Malformed) throw new OtlpError(400, error.message)
      throw error
    }
  }

  async #refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const encoding = otlp.encodingOf(request.headers['content-type']) ?? 'json'
    const { status, message, headers } = error instanceof OtlpError ? error : fromServer(error)
    if (status >= 500 && !(error instanceof OtlpError)) request.log.error(error)
    await reply
      .status(status)
      .headers({ ...headers })
      .type(otlp.CONTENT_TYPES[encoding])
      .send(otlp.errorBody(encoding, status, message))
  }
}

/** What Fastify itself refused: a body that is too large, or that is not as long as it says. */
const fromServer = (error: unknown): OtlpError => {
  const status = error instanceof Error ? ((error as FastifyError).statusCode ?? 500) : 500
  if (status === 413) return new OtlpError(413, `The body is larger than ${otlp.MAX_BODY_BYTES} bytes.`)
  if (status >= 400 && status < 500) return new OtlpError(status, 'The request is not valid.')
  return new OtlpError(500, 'Something went wrong here.')
}
