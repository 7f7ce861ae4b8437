import { virtualRuntime } from '@weir/testkit'
import { expect, it } from 'vitest'
import { report } from './report.ts'

it('a throwing error sink is not heard', () => {
  const runtime = {
    ...virtualRuntime(),
    onError: () => {
      throw new Error('sink')
    },
  }
  expect(() => report(runtime, new Error('fault'), 'here')).not.toThrow()
})
