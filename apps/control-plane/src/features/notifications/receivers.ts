import { randomBytes } from 'node:crypto'
import type { CreatedReceiver, Receiver, receiverInputSchema, TestedReceiver } from '@weir/api'
import type { z } from 'zod'
import type { Expected } from '../expected.ts'
import { done, type Result, refused } from '../result.ts'
import { type Courier, type Target, Undelivered } from './courier.ts'
import { parcelOf } from './formats.ts'
import type { MessageWriter } from './messages.ts'

export type ReceiverEdit = z.output<typeof receiverInputSchema>

export const MOST_RECEIVERS = 50
export const receiverTag = (version: number): string => `"receiver-${version}"`

/** Receivers of environments. A new one is told of what fires already. */
export abstract class ReceiverStore {
  abstract list(environment: string): Promise<Result<readonly Receiver[]>>
  abstract get(environment: string, id: string): Promise<Result<Receiver>>
  abstract create(
    environment: string,
    edit: ReceiverEdit,
    secret: string | null,
    actor: string,
  ): Promise<Result<Receiver>>
  /** A secret, or Slack's address, that is not given stays. `conflict` where the kind is another one. */
  abstract put(
    environment: string,
    id: string,
    edit: ReceiverEdit,
    expected: Expected,
    actor: string,
  ): Promise<Result<Receiver>>
  abstract remove(environment: string, id: string, actor: string): Promise<Result<null>>
  /** With its secret, for sending only. */
  abstract target(environment: string, id: string): Promise<Result<Target>>
  /** Writes into the audit that somebody had a test sent, and how it went. */
  abstract tested(environment: string, id: string, actor: string, result: TestedReceiver): Promise<void>
}

export interface ReceiversParts {
  readonly store: ReceiverStore
  readonly courier: Courier
  readonly writer: MessageWriter
  /** Whether mail can be sent from here at all. */
  readonly mails: boolean
  readonly clock: () => number
}

/** What people do with receivers. */
export class Receivers {
  readonly #parts: ReceiversParts

  constructor(parts: ReceiversParts) {
    this.#parts = parts
  }

  async create(environment: string, edit: ReceiverEdit, actor: string): Promise<Result<CreatedReceiver>> {
    const problem = this.#problemOf(edit)
    if (problem !== null) return problem
    if (edit.kind === 'slack' && edit.url === undefined)
      return refused('invalid', 'The address is missing.', [{ path: 'url', message: 'The address is missing.' }])
    const made = edit.kind === 'webhook' && edit.secret === undefined ? randomBytes(32).toString('base64url') : null
    const given = edit.kind === 'webhook' || edit.kind === 'alertmanager' ? (edit.secret ?? null) : null
    const created = await this.#parts.store.create(environment, edit, made ?? given, actor)
    return created.ok ? done({ ...created.value, secret: made }) : created
  }

  put(
    environment: string,
    id: string,
    edit: ReceiverEdit,
    expected: Expected,
    actor: string,
  ): Promise<Result<Receiver>> {
    const problem = this.#problemOf(edit)
    return problem === null ? this.#parts.store.put(environment, id, edit, expected, actor) : Promise.resolve(problem)
  }

  /** Sends a test message now, from here, and says how it went. */
  async test(environment: string, id: string, actor: string): Promise<Result<TestedReceiver>> {
    const { store, courier, writer, clock } = this.#parts
    const target = await store.target(environment, id)
    if (!target.ok) return target
    const nowMs = clock()
    const result = await courier
      .send(target.value, parcelOf(target.value, writer.test(environment, actor, nowMs), nowMs))
      .then(() => ({ delivered: true, detail: 'The receiver took the message.' }))
      .catch((error: unknown) => {
        if (!(error instanceof Undelivered)) throw error
        return { delivered: false, detail: error.message }
      })
    await store.tested(environment, id, actor, result)
    return done(result)
  }

  #problemOf({ kind }: ReceiverEdit): Result<never> | null {
    if (kind !== 'email' || this.#parts.mails) return null
    const message = 'This control plane cannot send mail: set SMTP_URL and SMTP_FROM where it runs.'
    return refused('invalid', message, [{ path: 'kind', message }])
  }
}
