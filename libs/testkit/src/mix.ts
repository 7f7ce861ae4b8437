import type { Random } from './random.ts'

/** Draws values by their weights: what is absent, not a number or not above 0 is never drawn. @throws {RangeError} where nothing has weight. */
export const mixed = <T>(weighted: readonly (readonly [value: T, weight: number])[], random: Random): (() => T) => {
  const values: T[] = []
  const ends: number[] = []
  let total = 0
  for (const [value, weight] of weighted) {
    if (!(weight > 0)) continue
    total += weight
    values.push(value)
    ends.push(total)
  }
  if (values.length === 0) throw new RangeError('A mix needs at least one value with a weight above 0.')
  return () => {
    const drawn = random() * total
    let low = 0
    let high = values.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (drawn < (ends[middle] as number)) high = middle
      else low = middle + 1
    }
    return values[low] as T
  }
}
