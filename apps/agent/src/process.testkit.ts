import { writeSync } from 'node:fs'
import { Weir } from './weir.ts'

/** A host process for tests: `node process.testkit.ts <control plane> <end>`, where end is `close` once connected, `close-at-once` or `leave`. Prints what it leaves behind as JSON. */
const [controlPlane = '', end = 'close'] = process.argv.slice(2)

const errors: string[] = []
const weir = await Weir.start({
  controlPlane,
  key: 'the-key',
  snapshotDir: false,
  onError: (error) => errors.push(String(error)),
})
for (let i = 0; i < 5; i++) {
  const entry = weir.gate('checkout').tryAcquire()
  if (entry.accepted) entry.success()
}
await weir.dependency('payments').call(async () => 'paid')
if (end !== 'leave') {
  const until = performance.now() + (end === 'close' ? 20_000 : 0)
  while (!weir.status().connected && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5))
  const connected = weir.status().connected
  const from = performance.now()
  await weir.close()
  const resources = process.getActiveResourcesInfo().filter((name) => !/PipeWrap|TTYWrap|FSReq|FileHandle/.test(name))
  writeSync(1, JSON.stringify({ connected, resources, closeMs: performance.now() - from, errors }))
} else writeSync(1, JSON.stringify({ connected: weir.status().connected, errors }))
