import { expect, test } from 'vitest'
import type { AuditEntry } from './audit-log.ts'
import { AuditedRefusals } from './refusal-log.ts'

const audit = () => {
  const entries: AuditEntry[] = []
  const clock = { now: 0 }
  const write = async (entry: AuditEntry) => void entries.push(entry)
  return {
    entries,
    clock,
    log: new AuditedRefusals(
      { write },
      () => {},
      () => clock.now,
    ),
  }
}

test('a refusal says what, from where and with what; its repeats come as one later entry', async () => {
  const { entries, clock, log } = audit()
  for (let i = 0; i < 40; i++) log.note({ what: 'sign-in', ip: '10.0.0.1', detail: { email: 'a@b.test' } })
  clock.now = 60_000
  log.sweep()
  await log.close()
  const common = { actor: 'nobody', action: 'refused.sign-in', environment: null, service: null, target: '10.0.0.1' }
  expect(entries).toEqual([
    { ...common, detail: { email: 'a@b.test' } },
    { ...common, detail: { email: 'a@b.test', repeats: 39 } },
  ])
})

test('an audit that cannot be written is told, and never reaches the caller', async () => {
  const errors: unknown[] = []
  const log = new AuditedRefusals(
    { write: () => Promise.reject(new Error('away')) },
    (error) => errors.push(error),
    () => 0,
  )
  log.note({ what: 'token', ip: '10.0.0.1' })
  await log.close()
  expect(errors).toEqual([new Error('away')])
})
