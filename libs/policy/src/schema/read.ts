import { isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { LIMITS } from '../model/limits.ts'
import type { Policy, Problem } from '../model/policy.ts'
import { jsonSchema } from './json-schema.ts'
import { policySchema } from './policy.ts'
import { type KnownKeys, problemsOf } from './sentence.ts'

/** `line` and `column` count from 1; absent where the problem has no place in the text (a missing key). */
export interface PlacedProblem extends Problem {
  readonly line?: number
  readonly column?: number
}

export type ReadPolicy =
  | { readonly ok: true; readonly policy: Policy; readonly document: unknown }
  /** `document` is what it says, where it can be read at all: whoever takes a policy item by item needs no more. */
  | { readonly ok: false; readonly problems: readonly PlacedProblem[]; readonly document?: unknown }

const MAX_ALIASES = 100
const encoder = new TextEncoder()

/**
 * Reads a policy document, YAML or JSON (YAML is a superset). Never throws: says *all* problems, each with its path, a sentence and its place.
 * An empty document is the empty policy. At most 256 KiB.
 */
export const readPolicy = (text: string): ReadPolicy => {
  if (encoder.encode(text).length > LIMITS.documentBytes)
    return {
      ok: false,
      problems: [{ path: '', message: `The document is longer than ${LIMITS.documentBytes / 1024} KiB.` }],
    }
  const lines = new LineCounter()
  const yaml = parseDocument(text, { lineCounter: lines, uniqueKeys: true, version: '1.2' })
  if (yaml.errors.length > 0)
    return {
      ok: false,
      problems: yaml.errors.map((error) => ({
        path: '',
        message: `This is not valid YAML: ${error.message.split('\n')[0]?.replace(/ at line.*$/, '') ?? error.code}.`,
        line: error.linePos?.[0].line ?? 1,
        column: error.linePos?.[0].col ?? 1,
      })),
    }
  let document: unknown
  try {
    document = yaml.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}
  } catch (error) {
    return {
      ok: false,
      problems: [{ path: '', message: `This document cannot be read: ${String((error as Error).message)}.` }],
    }
  }
  const reserved = reservedKey(yaml)
  if (reserved !== undefined) {
    const { line, col } = lines.linePos(reserved)
    return { ok: false, problems: [{ path: '', message: 'The name "__proto__" is not allowed.', line, column: col }] }
  }
  const checked = checkPolicy(document)
  if (checked.ok) return { ...checked, document }
  const place = (problem: Problem): PlacedProblem => {
    const offset = offsetOf(yaml, partsOf(problem.path))
    if (offset === undefined) return problem
    const { line, col } = lines.linePos(offset)
    return { ...problem, line, column: col }
  }
  return { ok: false, problems: checked.problems.map(place), document }
}

/** Checks a document that is already a value. */
export const checkPolicy = (document: unknown): { ok: true; policy: Policy } | { ok: false; problems: Problem[] } => {
  const result = policySchema.safeParse(document)
  return result.success
    ? { ok: true, policy: result.data }
    : { ok: false, problems: problemsOf(result.error, document, knownKeys) }
}

type Yaml = ReturnType<typeof parseDocument>

/** The validator drops this key without a word; a document must lose nothing silently. */
const reservedKey = (yaml: Yaml): number | undefined => {
  let offset: number | undefined
  visit(yaml, {
    Pair: (_, pair) => {
      if (isScalar(pair.key) && pair.key.value === '__proto__') {
        offset = pair.key.range?.[0] ?? 0
        return visit.BREAK
      }
      return undefined
    },
  })
  return offset
}

/** Where the nearest existing ancestor of a path's key stands. */
const offsetOf = (yaml: Yaml, path: readonly string[]): number | undefined => {
  let node: unknown = yaml.contents
  let offset: number | undefined
  for (const part of path) {
    const pair = pairsOf(node).find((candidate) => String(candidate.key?.value ?? candidate.key) === part)
    if (!pair) break
    offset = pair.key?.range?.[0] ?? offset
    node = pair.value
  }
  return offset
}

interface YamlPair {
  readonly key?: { readonly value?: unknown; readonly range?: readonly number[] | null }
  readonly value?: unknown
}
const pairsOf = (node: unknown): readonly YamlPair[] => {
  const items = (node as { items?: readonly unknown[] } | null | undefined)?.items
  return Array.isArray(items)
    ? (items.filter((item) => typeof item === 'object' && item !== null && 'key' in item) as YamlPair[])
    : []
}

/** Inverse of `dotted`. */
const partsOf = (path: string): string[] =>
  [...path.matchAll(/"((?:[^"\\]|\\.)*)"|([^.]+)/g)].map((match) =>
    match[1] === undefined ? (match[2] ?? '') : (JSON.parse(`"${match[1]}"`) as string),
  )

interface SchemaNode {
  readonly properties?: Record<string, SchemaNode>
  readonly additionalProperties?: SchemaNode | boolean
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
}

const step = (node: SchemaNode, key: string): SchemaNode | undefined => {
  if (node.properties?.[key]) return node.properties[key]
  if (typeof node.additionalProperties === 'object') return node.additionalProperties
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
    const found = step(branch, key)
    if (found) return found
  }
  return undefined
}

const keysOf = (node: SchemaNode): string[] => [
  ...Object.keys(node.properties ?? {}),
  ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap(keysOf),
]

let schema: SchemaNode | undefined
const knownKeys: KnownKeys = (path) => {
  schema ??= jsonSchema() as SchemaNode
  let node: SchemaNode | undefined = schema
  for (const part of path) node = node && step(node, String(part))
  return node ? [...new Set(keysOf(node))] : []
}
