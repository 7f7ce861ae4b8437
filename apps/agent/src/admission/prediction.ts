/** Completions until which the policy's initial rate stands in for a measured one. */
const ENOUGH_SAMPLES = 20

/**
 * Predicted wait, milliseconds: waiting ahead / drain rate. The rate is the class's measured one; before there is one, for all that are ahead, the
 * policy's until 20 completions, then limit / median processing time; while nothing is known the wait is 0. Rates per millisecond, NaN = none.
 */
export const predictedMs = (
  ahead: number,
  above: number,
  drainPerMs: number,
  initialPerMs: number,
  completions: number,
  typicalMs: number,
  limit: number,
): number => {
  if (!Number.isNaN(drainPerMs)) return waitMs(ahead, drainPerMs)
  if (!Number.isNaN(initialPerMs) && completions < ENOUGH_SAMPLES) return waitMs(above + ahead, initialPerMs)
  return Number.isNaN(typicalMs) ? 0 : ((above + ahead) * typicalMs) / limit
}

const waitMs = (ahead: number, perMs: number): number => (ahead === 0 ? 0 : ahead / perMs)
