import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const START_MS = 60_000

const spawnMain = (environment: Readonly<Record<string, string>>, cwd: string): ChildProcess =>
  spawn(process.execPath, [MAIN], {
    cwd,
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'error', WEIR_SELF: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Runs a start that is meant to be refused, to its end. */
export const refusedStart = async (
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<{ code: number | null; output: string }> => {
  const child = spawnMain(environment, cwd)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'exit')
  return { code, output }
}

export interface RunningProcess {
  readonly url: string
  readonly pid: number
  /** Ends it by a signal; resolves with the exit code once it is gone. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts the built control plane and waits until it says where it listens. */
export const startProcess = async (
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<RunningProcess> => {
  const child = spawnMain(environment, cwd)
  const gone = once(child, 'exit')
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no start: ${output}`)), START_MS)
    const read = (chunk: Buffer) => {
      output += chunk
      const found = /listens on (\S+)/.exec(output)?.[1]
      if (found === undefined) return
      clearTimeout(timer)
      resolve(found)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [code] = await gone
    return code as number | null
  }
  return { url, pid: child.pid ?? 0, end }
}
