import { Agent, request } from 'undici'
import type { LoadCommand, LoadReport, LoadTotals } from './load-messages.ts'
import { CLASS_SHARES, PATIENCE_MS, TENANTS, type Tenant } from './shape.ts'

/**
 * An open-loop load generator, run as a process of its own: arrivals do not wait for answers, and every one is counted once by its answer.
 * It is told its rate over IPC and reports its totals ten times a second.
 */
const targets = process.argv.slice(2)
const dispatcher = new Agent({ connections: 200, pipelining: 1 })
/** Past this many unanswered requests an arrival is counted as unsent, so that a collapsed fleet cannot take the generator with it. */
const MAX_OPEN = 5_000
const TICK_MS = 10

const totals = Object.fromEntries(
  Object.keys(TENANTS).map((tenant) => [tenant, { sent: 0, ok: 0, refused: 0, failed: 0, unsent: 0 }]),
) as LoadTotals
let perSecond = 0
let open = 0
let owed = 0
let turn = 0
let last = performance.now()

/** Picks by share, in a fixed order that repeats: the same mix in every second. */
const cycle = <T extends string>(shares: Readonly<Record<T, number>>, slots: number): T[] => {
  const names = Object.keys(shares) as T[]
  const credit = new Map(names.map((name) => [name, 0]))
  return Array.from({ length: slots }, () => {
    for (const name of names) credit.set(name, (credit.get(name) ?? 0) + shares[name])
    const next = names.reduce((best, name) => ((credit.get(name) ?? 0) > (credit.get(best) ?? 0) ? name : best))
    credit.set(next, (credit.get(next) ?? 0) - 1)
    return next
  })
}
const tenants = cycle(TENANTS, 10)
const classes = cycle(CLASS_SHARES, 5)

const send = async (tenant: Tenant, n: number): Promise<void> => {
  const count = totals[tenant]
  if (open >= MAX_OPEN) {
    count.unsent++
    return
  }
  open++
  count.sent++
  try {
    const answer = await request(`${targets[n % targets.length]}/orders`, {
      method: 'POST',
      dispatcher,
      headers: {
        'content-type': 'application/json',
        'x-tenant': tenant,
        'x-class': classes[Math.floor(n / tenants.length) % classes.length] as string,
        'weir-deadline-ms': String(PATIENCE_MS),
      },
      body: JSON.stringify({ item: 'book', amount: 12 }),
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    })
    await answer.body.dump()
    if (answer.statusCode < 300) count.ok++
    else if (answer.headers['weir-signal'] !== undefined) count.refused++
    else count.failed++
  } catch {
    count.failed++
  } finally {
    open--
  }
}

const tick = (): void => {
  const now = performance.now()
  // A stall of the generator is made up for at once, up to a second of arrivals.
  owed = Math.min(owed + ((now - last) / 1_000) * perSecond, perSecond)
  last = now
  for (; owed >= 1; owed--) {
    const n = turn++
    void send(tenants[Math.floor(n / targets.length) % tenants.length] as Tenant, n)
  }
}

const report = (): void => {
  process.send?.({ type: 'totals', totals, open, perSecond } satisfies LoadReport)
}

setInterval(tick, TICK_MS)
setInterval(report, 100)
process.on('message', (command: LoadCommand) => {
  perSecond = command.perSecond
})
process.on('disconnect', () => process.exit(0))
process.on('SIGINT', () => undefined)
