/** A range that ends here holds the whole bucket and, also where ranges hold their beginning, nothing of the one before: its last millisecond is never used. */
export const endMs = (second: number, bucket: number): number => (second + bucket) * 1000 - 1

/** The second that a bucket began with, by the time of its value in an answer, seconds. */
export const startOf = (at: number, bucket: number): number => Math.round((at * 1000 + 1) / 1000) - bucket
