import { createTransport } from 'nodemailer'
import { type Config, isLoopback } from '../../config/config.ts'
import { Undelivered } from '../../features/notifications/courier.ts'

const TIMEOUT_MS = 10_000

export interface Mail {
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly messageId: string
}

/** Sends mail over the server of the environment. Without `smtps` STARTTLS is demanded, but to this machine. */
export class Mailer {
  readonly #settings: NonNullable<Config['mail']>

  constructor(settings: NonNullable<Config['mail']>) {
    this.#settings = settings
  }

  async send({ to, subject, text, messageId }: Mail): Promise<void> {
    const { url, from } = this.#settings
    const server = new URL(url)
    const local = isLoopback(server.hostname)
    const secure = server.protocol === 'smtps:'
    const transport = createTransport({
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port === '' ? (secure ? 465 : 587) : Number(server.port),
      secure,
      requireTLS: !secure && !local,
      ignoreTLS: !secure && local,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(server.username === ''
        ? {}
        : { auth: { user: decodeURIComponent(server.username), pass: decodeURIComponent(server.password) } }),
    })
    try {
      await transport.sendMail({ from, to: [...to], subject, text, messageId: `<${messageId}@weir>` })
    } catch (error) {
      throw new Undelivered(
        `The mail server did not take it: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`,
      )
    } finally {
      transport.close()
    }
  }
}
