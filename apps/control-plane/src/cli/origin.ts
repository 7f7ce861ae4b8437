import { type Config, StartRefused } from '../config/config.ts'

/** Listening addresses that mean all of them: no browser can go there. */
const EVERYWHERE = new Set(['0.0.0.0', '::', '[::]'])

/** Where browsers find the dashboard: what was `given`, else PUBLIC_URL, else the listening address. Throws `StartRefused` where that has no port. */
export const originFor = (
  given: string | null,
  { publicUrl, host, port, tls }: Pick<Config, 'publicUrl' | 'host' | 'port' | 'tls'>,
): string => {
  if (given !== null) return given
  if (publicUrl !== null) return new URL(publicUrl).origin
  if (port === 0) throw new StartRefused('PORT is 0, any free one: give --origin, the address of the dashboard.')
  const name = EVERYWHERE.has(host) ? 'localhost' : host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return new URL(`${tls === null ? 'http' : 'https'}://${name}:${port}`).origin
}
