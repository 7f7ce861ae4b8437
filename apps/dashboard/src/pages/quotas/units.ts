import type { LeasedQuota } from '@weir/api'
import { count, figure } from '../../format/numbers.ts'

/** Units of a quota: a rate says per second. */
export const units = (kind: LeasedQuota['kind'], value: number): string =>
  kind === 'rate' ? `${figure(value)}/s` : count(value)
