/**
 * `npm run check`: what must hold before a push, in under a minute. All of `lint`, `types` and the unit tests, the independent parts at the same time;
 * what a part says is shown where it failed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { setPriority } from 'node:os'

type Command = readonly [name: string, ...args: string[]]

/** Many wait for real sockets and processes, so two at once take little more than one; they come first, because some of them have deadlines. */
const TESTS: Command = ['vitest', 'run', '--project', 'unit', '--maxWorkers', '2']
const NICE = 10
const PARTS: readonly Command[] = [
  ['tsc', '-p', 'tsconfig.json'],
  ['biome', 'check', '.'],
  ['tsc', '-p', 'apps/dashboard/tsconfig.json'],
  ['knip'],
]

/** Whether it passed. */
const ended = async ([command, ...args]: Command, niceness: number): Promise<boolean> => {
  const from = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { FORCE_COLOR: '1', ...process.env } })
  if (child.pid !== undefined) setPriority(child.pid, niceness)
  const said: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => said.push(piece))
  child.stderr.on('data', (piece: Buffer) => said.push(piece))
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const took = `${((performance.now() - from) / 1_000).toFixed(1)} s`
  if (status !== 0) process.stdout.write(Buffer.concat(said))
  console.log(`${status === 0 ? 'passed' : 'FAILED'}, ${took}: ${command} ${args.join(' ')}`)
  return status === 0
}

const main = async (): Promise<number> => {
  // The others read what it makes.
  const generated = spawnSync('npm', ['run', '--silent', 'generate'], { stdio: 'inherit' })
  if (generated.status !== 0) return generated.status ?? 1
  const passed = await Promise.all([ended(TESTS, 0), ...PARTS.map((part) => ended(part, NICE))])
  return passed.every(Boolean) ? 0 : 1
}

process.exitCode = await main()
