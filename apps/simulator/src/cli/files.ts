import { readFile } from 'node:fs/promises'
import type { Traffic } from '@weir/api'
import type { Policy, Quotas } from '@weir/policy/model'
import { problemsOf, quotasSchema, readPolicy } from '@weir/policy/schema'
import { readTraffic } from '../traffic/read.ts'
import { badInput, Trouble } from './trouble.ts'

const textOf = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Trouble(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}

/** @throws {Trouble} as the others here, where the file is not there or not right. */
export const policyFrom = async (path: string): Promise<Policy> => policyOf(await textOf(path), path)

export const policyOf = (document: string, what: string): Policy => {
  const read = readPolicy(document)
  if (read.ok) return read.policy
  throw badInput(what, read.problems)
}

export const trafficFrom = async (path: string): Promise<Traffic> => {
  const read = readTraffic(await textOf(path))
  if (read.ok) return read.traffic
  throw badInput(path, read.problems)
}

export const quotasFrom = async (path: string): Promise<Quotas> => {
  let document: unknown
  try {
    document = JSON.parse(await textOf(path))
  } catch (error) {
    if (error instanceof Trouble) throw error
    throw badInput(path, [{ path: '', message: `This is not JSON: ${String(error)}.` }])
  }
  const read = quotasSchema.safeParse(document)
  if (read.success) return read.data
  throw badInput(
    path,
    problemsOf(read.error, document, () => []),
  )
}
