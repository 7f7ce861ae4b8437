/** `npm run bench:calls`: what calls cost by number, and what a bad callee costs the others. */
import { cost } from './calls/cost.ts'
import { isolation } from './calls/isolation.ts'
import { slowReplica } from './calls/replicas.ts'

const round = (value: number): number => Math.round(value * 1_000) / 1_000
const say = (line: string): void => console.log(line)

const ns = await cost()
say('\nA call, ns of processor time')
for (const [name, value] of Object.entries(ns)) say(`  ${name.padEnd(24)}${value.toFixed(0).padStart(8)}`)

const hanging = await isolation()
say(`\nBeside a dependency that hangs (its ${hanging.held} slots are full)`)
say(`  p99 of the healthy one: ${hanging.aloneMs.toFixed(1)} ms alone, ${hanging.besideMs.toFixed(1)} ms beside it`)

const replicas = await slowReplica()
say('\nOne of four replicas fifty times slower: share of calls that suffer, p99')
for (const name of ['without', 'with'] as const)
  say(`  ${name.padEnd(10)}${(replicas[name].share * 100).toFixed(1)} %  ${replicas[name].p99.toFixed(1)} ms`)

console.log(
  JSON.stringify({
    figures: {
      dependencies_10000_to_10: round(ns.dependencies10000 / ns.dependencies10),
      in_flight_10000_to_0: round(ns.inFlight10000 / ns.inFlight0),
      replicas_4_to_none: round(ns.replicas4 / ns.one),
      call_ns: round(ns.one),
      isolation_p99: round(hanging.ratio),
      slow_replica_without: round(replicas.without.share),
      slow_replica_with: round(replicas.with.share),
      slow_replica_p99_without_ms: round(replicas.without.p99),
      slow_replica_p99_with_ms: round(replicas.with.p99),
    },
  }),
)
process.exit(0)
