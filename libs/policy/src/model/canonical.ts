/**
 * Canonical JSON: keys sorted by code unit, no white space, so that equal values have equal text.
 * Only for JSON values; `undefined` members are left out as JSON does.
 */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}
