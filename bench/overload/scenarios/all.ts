import { broker } from './broker.ts'
import { allCritical, noisyTenant } from './callers.ts'
import { slowDependency, slowReplica } from './dependency.ts'
import { nearLimit } from './near.ts'
import { controlPlaneKilled, policyChanged } from './plane.ts'
import { processor } from './processor.ts'
import { learned, ramp } from './ramp.ts'
import type { Scenario } from './scenario.ts'
import { retryStorm } from './storm.ts'

/** In the order in which they are told. */
export const SCENARIOS: readonly Scenario[] = [
  ramp,
  processor,
  learned,
  slowDependency,
  slowReplica,
  retryStorm,
  noisyTenant,
  allCritical,
  controlPlaneKilled,
  policyChanged,
  nearLimit,
  broker,
]
