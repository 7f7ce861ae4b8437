/** A metrics engine that keeps the figures, by OUTCOMES. */
export interface MetricsTarget {
  /** Where `/api/v1/query` is, without a slash at the end. */
  readonly readUrl: string
  readonly writeUrl: string
  /** Value of the header; sent to both. */
  readonly authorization: string | null
}

const SCHEME = 'prometheus:'
const FORMS = `Write ${SCHEME}http://[user:password@]host[:port][/path], ${SCHEME}https://…, or postgres.`

/** Throws an `Error` whose message is one sentence that names the setting, without the password. */
export const metricsTarget = (outcomes: string, writeUrl: string | undefined): MetricsTarget => {
  const base = httpUrl('OUTCOMES', outcomes.startsWith(SCHEME) ? outcomes.slice(SCHEME.length) : '', FORMS)
  const { username, password } = base
  const read = bare(base)
  return {
    readUrl: read,
    writeUrl: writeUrl === undefined ? `${read}/api/v1/write` : bare(pushUrl(writeUrl)),
    authorization: username === '' ? null : basic(username, password),
  }
}

const pushUrl = (text: string): URL => {
  const url = httpUrl('OUTCOMES_WRITE_URL', text, 'Write http://host[:port]/path or https://….')
  if (url.username !== '') throw new Error('OUTCOMES_WRITE_URL: User and password are those of OUTCOMES.')
  return url
}

const httpUrl = (setting: string, text: string, sentence: string): URL => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error(`${setting}: ${sentence}`)
  if (url.search !== '' || url.hash !== '') throw new Error(`${setting}: A ? or # has no place in it.`)
  return url
}

const bare = ({ origin, pathname }: URL): string => `${origin}${pathname}`.replace(/\/+$/, '')

const basic = (user: string, password: string): string => {
  try {
    return `Basic ${btoa(`${decodeURIComponent(user)}:${decodeURIComponent(password)}`)}`
  } catch {
    throw new Error('OUTCOMES: User and password are percent-encoded Latin-1.')
  }
}
