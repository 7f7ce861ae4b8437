import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { arrivals, mixed, poisson, type Shape, seededRandom } from '@weir/testkit'
import type { Answered, RealService, Told } from './message.ts'

export interface Mix {
  readonly classes: Readonly<Record<string, number>>
  readonly tenants: Readonly<Record<string, number>>
}

/** One request, as its sender saw it. `ms` from when it was due, not from when it was sent. */
export interface Seen extends Answered {
  readonly class: string
  readonly tenant: string
  readonly ms: number
}

/** `lagMs`: by how much the sender itself was late, at worst. */
export interface Run {
  readonly seen: readonly Seen[]
  readonly lagMs: number
}

/** A service process behind its gate. */
export const startService = async (policy: string, service: RealService) => {
  const file = join(tmpdir(), `weir-bench-${process.pid}.yaml`)
  await writeFile(file, policy)
  const child = fork(new URL('server.ts', import.meta.url), [file, JSON.stringify(service)], { execArgv: [] })
  const { url } = await new Promise<Told>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}.`)))
    child.once('message', (told: Told) => resolve(told))
  })
  const stop = async (): Promise<void> => {
    child.removeAllListeners('exit')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { url, stop }
}

/** Open loop: requests leave when they are due, whatever became of those before. */
export const offer = async (url: string, shape: Shape, mix: Mix, seed: number): Promise<Run> => {
  const random = seededRandom(seed)
  const klass = mixed(Object.entries(mix.classes), random)
  const tenant = mixed(Object.entries(mix.tenants), random)
  const agent = new Agent({ keepAlive: true, maxSockets: 4_000 })
  const due = arrivals(shape, poisson(random))
  const asked: Promise<Seen>[] = []
  const startMs = performance.now()
  let lagMs = 0
  for (let next = due.next(); next.done !== true; ) {
    const nowMs = performance.now() - startMs
    for (; next.done !== true && next.value <= nowMs; next = due.next()) {
      lagMs = Math.max(lagMs, nowMs - next.value)
      asked.push(ask(url, agent, startMs + next.value, klass(), tenant()))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const seen = await Promise.all(asked)
  agent.destroy()
  return { seen, lagMs }
}

const ask = async (url: string, agent: Agent, dueMs: number, klass: string, tenant: string): Promise<Seen> => {
  const sent = request(`${url}/?class=${klass}&tenant=${tenant}`, { agent })
  sent.end()
  const [response] = await once(sent, 'response')
  const answer: Answered = JSON.parse(await text(response))
  return { ...answer, class: klass, tenant, ms: performance.now() - dueMs }
}
