/** `npm run bench:agent`: figures A1 to A5, beside their peers in one run. */
import { allocated, held } from './agent/allocations.ts'
import { gzippedKb, importRatios, thirdParty } from './agent/import-cost.ts'
import { cockatielBreaker, cockatielRefusal, cockatielWrap, opossumRefusal } from './agent/peers.ts'
import {
  call,
  callReadingSignal,
  fullGate,
  openGate,
  queuedGate,
  runGate,
  runtime,
  tenantToucher,
} from './agent/subjects.ts'
import { measure } from './rounds.ts'

const round = (value: number): number => Math.round(value * 1_000) / 1_000
const show = (title: string, rows: Readonly<Record<string, number>>, unit: string): void => {
  console.log(`\n${title}`)
  for (const [name, value] of Object.entries(rows))
    console.log(`  ${name.padEnd(44)}${value.toFixed(1).padStart(10)} ${unit}`)
}

/** Two readings of the clock, which is what a round trip takes at the least. */
const readClock = (): void => {
  runtime.clock.now()
  runtime.clock.now()
}
const gates = await measure(
  { accept: openGate(), refuse: fullGate(), cockatiel: cockatielBreaker(), clock: readClock },
  { rounds: 61, calls: 20_000 },
)
const peers = await measure(
  {
    run: runGate(),
    cockatiel: cockatielBreaker(),
    cockatielRefusal: cockatielRefusal(),
    opossumRefusal: opossumRefusal(),
  },
  { rounds: 31, calls: 20_000 },
)
show(
  'The gate',
  {
    'accept + success()': gates.accept,
    'of which the clock, read twice': gates.clock,
    refuse: gates.refuse,
    'gate.run of a no-op': peers.run,
  },
  'ns',
)
show(
  'Peers',
  {
    'cockatiel circuitBreaker.execute': peers.cockatiel,
    'cockatiel refusal': peers.cockatielRefusal,
    'opossum refusal': peers.opossumRefusal,
  },
  'ns',
)

const calls = await measure({ call: call(), signal: callReadingSignal(), wrap: cockatielWrap() }, { calls: 20_000 })
show(
  'The dependency',
  { 'call, signal unread': calls.call, 'call, signal read': calls.signal, 'cockatiel wrap': calls.wrap },
  'ns',
)

// So many that the few kB which a round allocates once, whatever is in it, do not count.
const shedBytes = await allocated(fullGate(), 2_000_000)
const acceptBytes = await allocated(openGate(), 100_000)
const TENANTS = 20_000
const tenantBytes = await held(tenantToucher(TENANTS), TENANTS)
show('Memory', { 'per refusal': shedBytes, 'per acceptance': acceptBytes, 'held per idle tenant': tenantBytes }, 'B')

const few = { rounds: 9, calls: 50_000 }
const tenants = await measure({ ten: openGate(10), many: openGate(1_000), most: openGate(100_000) }, few)
const waiters = await measure({ none: queuedGate(0), some: queuedGate(100), many: queuedGate(10_000) }, few)
show(
  'Scaling: accept + success()',
  { '10 tenants': tenants.ten, '1,000 tenants': tenants.many, '100,000 tenants': tenants.most },
  'ns',
)
show(
  'Scaling: wait, end, start the next',
  { '0 waiting': waiters.none, '100 waiting': waiters.some, '10,000 waiting': waiters.many },
  'ns',
)

const gzip = await gzippedKb()
const imports = importRatios()
console.log(`\nImport\n  third-party: ${thirdParty().join(', ')}`)
for (const when of ['imported', 'started'] as const)
  console.log(
    `  ${when}: ${gzip[when].toFixed(1)} kB gzipped without ws; ${imports[when].toFixed(2)} x the time of ws and zod`,
  )

console.log(
  JSON.stringify({
    figures: {
      A1: round(gates.accept / gates.cockatiel),
      A2_accept: round(gates.refuse / gates.accept),
      A2_opossum: round(gates.refuse / peers.opossumRefusal),
      A2_cockatiel: round(gates.refuse / peers.cockatielRefusal),
      A3: round(calls.call / calls.wrap),
      A3_signal: round(calls.signal / calls.wrap),
      run: round(peers.run / peers.cockatiel),
      A4_shed_bytes: round(shedBytes),
      A4_accept_bytes: round(acceptBytes),
      A4_tenant_bytes: round(tenantBytes),
      A5_gzip_kb: round(gzip.imported),
      A5_started_gzip_kb: round(gzip.started),
      A5_import: round(imports.imported),
      A5_started: round(imports.started),
      accept_ns: round(gates.accept),
      refuse_ns: round(gates.refuse),
      clock_ns: round(gates.clock),
      tenants_1000_to_10: round(tenants.many / tenants.ten),
      tenants_100000_to_10: round(tenants.most / tenants.ten),
      waiting_100_to_0: round(waiters.some / waiters.none),
      waiting_10000_to_0: round(waiters.many / waiters.none),
    },
  }),
)
process.exit(0)
