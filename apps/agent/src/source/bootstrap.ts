import { open } from 'node:fs/promises'
import { readPolicy } from '@weir/policy/document'
import { LIMITS } from '@weir/policy/model'

/** Problems that are told of one file. */
const TOLD = 5

/**
 * Reads a policy document, YAML or JSON, from the deployment; what is wrong with it is reported with its place. The document is handed on as it is, to be taken
 * item by item. `null`: there is no document. Loaded by those alone who have such a file, since it brings YAML.
 */
export const readBootstrap = async (path: string, onError: (error: unknown) => void): Promise<unknown> => {
  try {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      if (size > LIMITS.documentBytes) throw new Error(`${path} is longer than ${LIMITS.documentBytes} bytes.`)
      const read = readPolicy(await file.readFile('utf8'))
      if (read.ok) return read.document
      const said = read.problems
        .slice(0, TOLD)
        .map(({ path: at, message, line }) => `${at || 'document'}${line ? ` (line ${line})` : ''}: ${message}`)
      const used = read.document === undefined ? 'is not used' : 'has mistakes; valid items are used'
      onError(new Error(`${path} ${used}. ${said.join(' ')}`))
      return read.document ?? null
    } finally {
      await file.close()
    }
  } catch (error) {
    onError(error)
    return null
  }
}
