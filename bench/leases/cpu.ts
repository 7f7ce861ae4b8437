import { seededRandom } from '@weir/testkit'
import { QuotaLedger } from '../../apps/control-plane/src/features/leases/ledger.ts'
import { leaseTiming } from '../../apps/control-plane/src/features/leases/timing.ts'

const ROUNDS = 60

/** Processor time of dividing one quota among `agents` anew, safe capacities too, beside sorting as many doubles: medians of rounds in turn. */
export const divisionCost = (
  agents: number,
  whole: boolean,
): { readonly divideMs: number; readonly sortMs: number } => {
  const random = seededRandom(1)
  const capacity = whole ? agents * 2 : agents * 2_000_000
  const ledger = new QuotaLedger({ epoch: 'cost', timing: leaseTiming(5_000), capacity, random }, 0)
  const ask = (i: number) =>
    ledger.ask(
      {
        agent: `agent ${i}`,
        weight: 1,
        used: 0,
        want: (-2 * capacity * Math.log(1 - random())) / agents,
        spare: 1,
        inUse: 0,
        held: null,
      },
      0,
    )
  for (let i = 0; i < agents; i++) ask(i)
  const doubles = Float64Array.from({ length: agents }, random)
  const divide: number[] = []
  const sort: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    divide.push(
      timed(() => {
        ledger.setCapacity(capacity + round, 0)
        ask(round)
      }),
    )
    const copy = doubles.slice()
    sort.push(timed(() => copy.sort()))
  }
  return { divideMs: median(divide), sortMs: median(sort) }
}

const timed = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
