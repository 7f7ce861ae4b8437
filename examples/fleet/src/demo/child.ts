import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process of the demo. Its last lines of output are kept, to be shown when it ends against the plan. */
export interface Child {
  readonly name: string
  readonly process: ChildProcess
  readonly output: string[]
  /** Ends it and waits for the end; `SIGKILL` after `graceMs`. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>
}

const KEPT_LINES = 40

/**
 * Starts a Node process with an IPC channel. Always the binary itself, never a wrapper that would survive its child: `within` is a command that turns into
 * the one that follows it, as `ip netns exec` does.
 */
export const start = (
  name: string,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  within: readonly string[] = [],
): Child => {
  const [command = process.execPath, ...rest] = [...within, process.execPath, file, ...args]
  const child = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.push(...text.split('\n').filter((line) => line.trim() !== ''))
      output.splice(0, Math.max(0, output.length - KEPT_LINES))
    })
  return {
    name,
    process: child,
    output,
    stop: async (signal = 'SIGTERM', graceMs = 5_000) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Waits until a process says `listening` over IPC; fails with its output when it ends first. */
export const listening = async (child: Child): Promise<string> => {
  const message = new Promise<string>((resolve) => {
    child.process.on('message', (said: { type?: string; url?: string }) => {
      if (said.type === 'listening' && said.url) resolve(said.url)
    })
  })
  const ended = once(child.process, 'exit').then(() => {
    throw new Error(`${child.name} ended while starting:\n${child.output.join('\n')}`)
  })
  return Promise.race([message, ended])
}
