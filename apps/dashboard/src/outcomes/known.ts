/** Whether there is such a gate or dependency: `asking` until everybody who could know it has answered. A name that one of them has is known at once. */
export const standingOf = (
  name: string,
  sources: readonly (readonly string[] | undefined)[],
): 'known' | 'asking' | 'unknown' => {
  if (sources.some((names) => names?.includes(name))) return 'known'
  return sources.some((names) => names === undefined) ? 'asking' : 'unknown'
}
