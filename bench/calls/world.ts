import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Dependency } from '@weir/agent'
import { type DependencyPolicy, policySchema } from '@weir/policy'
import { runtime } from '../agent/subjects.ts'

/** A dependency under a policy as authored. */
export const dependency = (name: string, policy: Readonly<Record<string, unknown>> = {}): Dependency => {
  const made = new Dependency(name, runtime)
  const parsed = policySchema.parse({ dependencies: { [name]: policy } }).dependencies[name] as DependencyPolicy
  const problems = made.apply({ policy: parsed, revision: 1 })
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return made
}

export interface Replica {
  readonly origin: string
  readonly stop: () => void
}

/** A server that answers after so long; `null`: never. */
export const replica = async (afterMs: number | null): Promise<Replica> => {
  const server: Server = createServer((_request, response) => {
    if (afterMs === null) return
    if (afterMs === 0) response.end('ok')
    else setTimeout(() => response.end('ok'), afterMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
