import { createRequire } from 'node:module'

/** Of the control plane's package. */
export const VERSION = String((createRequire(import.meta.url)('../../package.json') as { version: unknown }).version)
