import { open } from 'node:fs/promises'
import { LIMITS, type Policy } from '@weir/policy/model'
import { readPolicy } from '@weir/policy/schema'

/** Reads a policy document, YAML or JSON, from the deployment. `null`: it cannot be used, and why was reported. */
export const readBootstrap = async (path: string, onError: (error: unknown) => void): Promise<Policy | null> => {
  try {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      if (size > LIMITS.documentBytes) throw new Error(`${path} is longer than ${LIMITS.documentBytes} bytes.`)
      const read = readPolicy(await file.readFile('utf8'))
      if (read.ok) return read.policy
      const said = read.problems
        .slice(0, 5)
        .map(({ path: at, message, line }) => `${at || 'document'}${line ? ` (line ${line})` : ''}: ${message}`)
      throw new Error(`${path} is not used. ${said.join(' ')}`)
    } finally {
      await file.close()
    }
  } catch (error) {
    onError(error)
    return null
  }
}
