/** `npm run bench:agent`: figures A1 to A5, beside their peers in one run. */
import { allocated, held } from './agent/allocations.ts'
import { gzippedKb, importRatios, thirdParty } from './agent/import-cost.ts'
import { cockatielBreaker, cockatielRefusal, cockatielWrap, opossumRefusal } from './agent/peers.ts'
import { call, callReadingSignal, fullGate, openGate, runGate, tenantToucher } from './agent/subjects.ts'
import { measure } from './rounds.ts'

const round = (value: number): number => Math.round(value * 1_000) / 1_000
const show = (title: string, rows: Readonly<Record<string, number>>, unit: string): void => {
  console.log(`\n${title}`)
  for (const [name, value] of Object.entries(rows))
    console.log(`  ${name.padEnd(44)}${value.toFixed(1).padStart(10)} ${unit}`)
}

const gates = await measure({ accept: openGate(), refuse: fullGate() }, { calls: 200_000 })
const peers = await measure(
  {
    run: runGate(),
    cockatiel: cockatielBreaker(),
    cockatielRefusal: cockatielRefusal(),
    opossumRefusal: opossumRefusal(),
  },
  { calls: 20_000 },
)
show('The gate', { 'accept + success()': gates.accept, refuse: gates.refuse, 'gate.run of a no-op': peers.run }, 'ns')
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

const shedBytes = await allocated(fullGate())
const acceptBytes = await allocated(openGate())
const TENANTS = 20_000
const tenantBytes = await held(tenantToucher(TENANTS), TENANTS)
show('Memory', { 'per refusal': shedBytes, 'per acceptance': acceptBytes, 'held per idle tenant': tenantBytes }, 'B')

const scaling: Record<string, number> = {}
for (const tenants of [10, 1_000, 100_000])
  scaling[`accept at ${tenants} tenants`] = (await measure({ accept: openGate(tenants) }, { rounds: 7 })).accept
show('Scaling', scaling, 'ns')

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
      A1: round(gates.accept / peers.cockatiel),
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
      scaling_100000_to_10: round((scaling['accept at 100000 tenants'] ?? 0) / (scaling['accept at 10 tenants'] ?? 1)),
    },
  }),
)
process.exit(0)
