import { describe, expect, it } from 'vitest'
import spec from '../../../../spec/buckets.json' with { type: 'json' }
import { bench, gatePolicy, quota, settings } from './gate.testkit.ts'

interface Step {
  readonly at: number
  readonly ask?: number
  readonly passes?: boolean
  readonly times?: number
  readonly pass?: number
  readonly edit?: { readonly rate: number; readonly burst: number }
}

describe('the rate of a tenant', () => {
  it.each(spec.cases as { name: string; rate: number; burst: number; steps: Step[] }[])(
    '$name',
    ({ rate, burst, steps }) => {
      const of = (parts: { rate: number; burst: number }) =>
        settings(gatePolicy({ limit: 1_000 }), { quotas: { acme: quota(parts) } })
      const { gate, runtime } = bench(of({ rate, burst }))
      for (const [index, { at, ask, passes, times = 1, pass, edit }] of steps.entries()) {
        runtime.time.advance(at - runtime.clock.now())
        if (edit) gate.apply(of(edit))
        if (ask === undefined) continue
        const answers = Array.from({ length: times }, () => gate.tryAcquire({ tenant: 'acme', cost: ask }).accepted)
        expect(answers.filter(Boolean), `step ${index}`).toHaveLength(pass ?? Number(passes))
      }
    },
  )
})
