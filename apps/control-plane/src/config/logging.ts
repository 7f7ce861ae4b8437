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
