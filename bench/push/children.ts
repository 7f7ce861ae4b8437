import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Ask, BareAsk, LeasesAsk, StormAsk } from './message.ts'

export const child = (file: URL): ChildProcess =>
  fork(file, { execArgv: ['--conditions', 'weir-src', '--no-warnings'] })

export const ask = async <A extends { type: string }>(
  to: ChildProcess,
  question: Ask | BareAsk | LeasesAsk | StormAsk,
): Promise<A> => {
  if (to.exitCode !== null) throw new Error('A process of sockets ended.')
  const answer = once(to, 'message') as Promise<[A]>
  const ended = once(to, 'exit').then(() => Promise.reject(new Error('A process of sockets ended.')))
  to.send(question)
  return (await Promise.race([answer, ended]))[0]
}

const statusKb = async (pid: number, row: string): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${row}:\\s+(\\d+)`).exec(status)?.[1])
}

/** Resident memory of a process, now and at its peak. */
export const rssKb = (pid: number): Promise<number> => statusKb(pid, 'VmRSS')
export const peakKb = (pid: number): Promise<number> => statusKb(pid, 'VmHWM')

/** A tick of the kernel's accounts is a hundredth of a second. */
const TICKS = 100

/** Processor time that a process has used, seconds. */
export const cpuSeconds = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Of sorted values, that which so many are not above. */
export const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
