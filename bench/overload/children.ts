import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'

const cores = availableParallelism()
/** Whether the generator can have a core of its own. */
export const pinned = cores > 1 && process.platform === 'linux' && spawnSync('taskset', ['-V']).status === 0
const CORES = { load: String(cores - 1), services: cores > 2 ? `0-${cores - 2}` : '0', all: `0-${cores - 1}` }
/** On which cores a process runs. */
export type Place = keyof typeof CORES

/** Starts a script of this bench as a process with a channel: on the generator's core, on all the others, or on all. */
export const child = (script: string, on: Place, settings: unknown): ChildProcess => {
  const args = [new URL(script, import.meta.url).pathname, JSON.stringify(settings)]
  const [command, given] = pinned ? ['taskset', ['-c', CORES[on], process.execPath, ...args]] : [process.execPath, args]
  return spawn(command, given, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization: 'advanced' })
}

/** The first message of a kind; fails when the process ends before. */
export const heard = <T extends { readonly type: string }>(from: ChildProcess, type: T['type']): Promise<T> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`${from.spawnargs.at(-2)} ended with ${code}.`))
    const hear = (message: T): void => {
      if (message.type !== type) return
      from.off('message', hear)
      from.off('exit', ended)
      resolve(message)
    }
    from.on('message', hear)
    from.once('exit', ended)
  })

export const ended = async (process: ChildProcess): Promise<void> => {
  if (process.exitCode !== null || process.signalCode !== null) return
  const gone = once(process, 'exit')
  process.kill('SIGKILL')
  await gone
}
