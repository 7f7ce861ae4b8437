import { virtualRuntime } from '@weir/testkit'
import { describe, expect, it } from 'vitest'
import { Dependency } from './dependency.ts'
import { policyWith, watch } from './rig.testkit.ts'

/** Calls to a healthy dependency, one a millisecond, 5 ms each; beside them as many to one that hangs. How long each healthy one took. */
const durations = async (hanging: boolean) => {
  const runtime = virtualRuntime()
  const { time } = runtime
  const [good, bad] = ['good', 'bad'].map((name) => new Dependency(name, runtime)) as [Dependency, Dependency]
  good.apply({ policy: policyWith(), revision: 1 })
  bad.apply({ policy: policyWith({ ceiling: 20, timeoutMs: 60_000 }), revision: 1 })
  const took: number[] = []
  let refused = 0
  let hung = 0
  for (let i = 0; i < 1_000; i++) {
    if (hanging) bad.call(() => new Promise<never>(() => hung++)).catch(() => refused++)
    const from = time.now()
    watch(
      good
        .call(() => new Promise<void>((resolve) => time.set(resolve, 5)))
        .then(() => void took.push(time.now() - from)),
    )
    await time.run(1)
  }
  await time.run(10)
  const held = bad.report().inFlight
  bad.close()
  return { took, refused, hung, held }
}

describe('a dependency that hangs', () => {
  it('fills its own compartment and no other: calls to a healthy one take what they take alone', async () => {
    const alone = await durations(false)
    const beside = await durations(true)
    expect(beside).toMatchObject({ hung: 20, held: 20, refused: 980 })
    expect(beside.took).toEqual(alone.took)
    expect(beside.took).toHaveLength(1_000)
  })
})
