/** One who takes part in a division. Nobody gets more than `want`; what is scarce goes by `weight` (> 0). */
export interface Claim {
  readonly want: number
  readonly weight: number
}

/** Far past what it can take: each pass halves the claims that are left or the step. */
const MOST_PASSES = 200

/**
 * The water level: `l` such that the sum of `min(want, l * weight)` is `capacity`; `Infinity` where everybody gets what it wants.
 *
 * Source: weighted max-min fairness (Bertsekas and Gallager, Data Networks, 6.5.2), solved by Newton's method. The sum is concave in `l` and made of
 * straight lines, so a step from anywhere lands at or below the level, and from there steps only rise, onto the level itself. Each pass reads every
 * claim once and nothing is sorted. From the `guess` of a division before, of which few claims changed, two or three passes are enough.
 */
export const waterLevel = (capacity: number, claims: readonly Claim[], guess = 0): number => {
  let level = Number.isFinite(guess) ? guess : 0
  let rising = false
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    let satisfied = 0
    let weights = 0
    for (const { want, weight } of claims)
      if (want <= level * weight) satisfied += want
      else weights += weight
    if (weights === 0 && satisfied <= capacity) return Number.POSITIVE_INFINITY
    const next = weights === 0 ? 0 : Math.max(0, (capacity - satisfied) / weights)
    if (next === level || (rising && next < level)) return level
    rising = next > level
    level = next
  }
  return level
}

/** What a claim gets at a water level. */
export const shareAt = ({ want, weight }: Claim, level: number): number => Math.min(want, level * weight)

/** Weighted max-min shares of something that divides, such as a rate: nothing wanted is left over, and everybody gets at least the least of its want and its equal share. */
export const maxMin = (capacity: number, claims: readonly Claim[]): number[] => {
  const level = waterLevel(capacity, claims)
  return claims.map((claim) => shareAt(claim, level))
}

/**
 * The same in whole units, wants being whole: shares of `level` rounded down, and what that leaves goes one by one to the largest remainders, the first of
 * equals first. They sum to exactly the least of `capacity` and all wants. No slower than a sort.
 */
export const maxMinUnits = (
  capacity: number,
  claims: readonly Claim[],
  level = waterLevel(capacity, claims),
): number[] => {
  const shares = claims.map((claim) => Math.floor(shareAt(claim, level)))
  if (level === Number.POSITIVE_INFINITY) return shares
  let left = Math.floor(capacity)
  for (const share of shares) left -= share
  const remainders = claims.map(({ weight, want }, i) => (want > (shares[i] ?? 0) ? (level * weight) % 1 : -1))
  for (const i of largest(remainders, left)) shares[i] = (shares[i] ?? 0) + 1
  return shares
}

/** Places of the `count` largest values that are not negative, in order; of equals the first. */
const largest = (values: readonly number[], count: number): number[] => {
  if (count <= 0) return []
  const sorted = Float64Array.from(values).sort()
  const least = Math.max(0, sorted[Math.max(0, sorted.length - count)] ?? 0)
  let equals = count - values.reduce((above, value) => above + (value > least ? 1 : 0), 0)
  const places: number[] = []
  for (const [i, value] of values.entries()) if (value > least || (value === least && equals-- > 0)) places.push(i)
  return places
}
