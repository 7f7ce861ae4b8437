/** Plain headers that carry context beside W3C baggage. Names are lower case, as Node gives them. */
export const HEADERS = {
  /** Remaining time, whole milliseconds. */
  deadline: 'weir-deadline-ms',
  criticality: 'weir-criticality',
  tenant: 'weir-tenant',
  /** 1 for the first attempt. */
  attempt: 'weir-attempt',
  /** On a refusal: elsewhere, later or stop. */
  signal: 'weir-signal',
  /** On a refusal: its reason. */
  reason: 'weir-reason',
  /** On an answer: how often a lower layer retried, or decided that nobody should; an upper layer that sees more than 0 does not retry. */
  retried: 'weir-retried',
  revision: 'weir-revision',
  /** Proof that the first four of a request are an internal caller's: version; Unix seconds; service; HMAC-SHA256 in base64url. Never in baggage. */
  seal: 'weir-seal',
} as const

/** Prefix of the same names inside W3C baggage. */
export const BAGGAGE_PREFIX = 'weir.'

/** A tenant's id as a header bears it: everything but visible ASCII, and the per cent sign, is per cent-encoded UTF-8. */
export const tenantToHeader = (tenant: string): string =>
  tenant.toWellFormed().replace(/[^\x21-\x24\x26-\x7e]/gu, encodeURIComponent)

/** The other way; `null` where the header is malformed. */
export const tenantFromHeader = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
