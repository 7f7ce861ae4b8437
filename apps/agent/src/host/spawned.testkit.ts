import { spawn } from 'node:child_process'
import { once } from 'node:events'

const script = new URL('consumer-process.testkit.ts', import.meta.url).pathname

/** A consumer in a process of its own. */
export const spawnConsumer = (adapter: string, broker: string) => {
  const child = spawn(process.execPath, ['--conditions', 'weir-src', '--no-warnings', script, adapter, broker])
  let output = ''
  let faults = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    faults += chunk
  })
  const ended = once(child, 'close')
  return {
    output: () => output,
    /** Tells it to end, and gives what it left behind. */
    async end(): Promise<{ code: number | null; faults: string; left: Record<string, unknown> }> {
      child.stdin.write('end\n')
      const [code] = await ended
      return { code, faults, left: JSON.parse(output.split('\n').find((line) => line.startsWith('{')) ?? '{}') }
    },
    kill: () => child.kill('SIGKILL'),
  }
}
