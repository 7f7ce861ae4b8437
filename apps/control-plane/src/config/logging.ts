import type { LoggerService } from '@nestjs/common'
import type { Params } from 'nestjs-pino'
import type { Config } from './config.ts'

/** JSON lines on stdout. Secrets never reach the log; answered requests are a debug matter. */
export const logging = (config: Config): Params => ({
  pinoHttp: {
    level: config.logLevel,
    redact: ['req.headers.authorization', 'req.headers.cookie', 'res.headers["set-cookie"]'],
    customLogLevel: (_request, response, error) =>
      error !== undefined || response.statusCode >= 500 ? 'error' : 'debug',
  },
})

/** Contexts by which the framework tells how it builds itself. What goes wrong there is thrown too, and told once. */
const FRAMEWORK = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'])

/** Passes everything on, save the framework's own story, which is a debug matter. */
export class QuietFramework implements LoggerService {
  readonly #inner: LoggerService

  constructor(inner: LoggerService) {
    this.#inner = inner
  }

  log(message: unknown, ...rest: unknown[]): void {
    if (isFramework(rest)) this.#inner.debug?.(message, ...rest)
    else this.#inner.log(message, ...rest)
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (isFramework(rest)) this.#inner.debug?.(message, ...rest)
    else this.#inner.error(message, ...rest)
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#inner.warn(message, ...rest)
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#inner.debug?.(message, ...rest)
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#inner.verbose?.(message, ...rest)
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#inner.fatal?.(message, ...rest)
  }
}

const isFramework = (rest: readonly unknown[]): boolean => {
  const context = rest.at(-1)
  return typeof context === 'string' && FRAMEWORK.has(context)
}
