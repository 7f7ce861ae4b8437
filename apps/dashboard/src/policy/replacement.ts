/** The one change that turns `before` into `after`, or null where they are equal. Offsets in `before`. */
export const replacement = (before: string, after: string): { from: number; to: number; insert: string } | null => {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}
