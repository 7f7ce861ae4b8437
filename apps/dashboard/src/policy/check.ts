import type { Problem } from '@weir/policy/model'
import { readPolicy } from '@weir/policy/schema'
import { isMap, isScalar, parseDocument } from 'yaml'

/** Offsets in the text, `from` included. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A problem and where in the text it is. `line` counts from 1. */
export interface Located extends Problem {
  readonly span: Span
  readonly line: number
}

export interface Checked {
  /** The document's plain value, also where it breaks the schema; undefined where the text does not parse. */
  readonly value: unknown
  readonly problems: readonly Located[]
}

/** From a place to the end of its line. */
const spanAt = (text: string, line: number, column: number): Span => {
  let start = 0
  for (let i = 1; i < line; i++) {
    const next = text.indexOf('\n', start)
    if (next === -1) break
    start = next + 1
  }
  const end = text.indexOf('\n', start)
  const to = end === -1 ? text.length : end
  return { from: Math.min(start + column - 1, to), to }
}

const MAX_ALIASES = 100

const plainValue = (text: string): unknown => {
  const document = parseDocument(text)
  if (document.errors.length > 0) return undefined
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}
  } catch {
    return undefined
  }
}

/** All problems of a document, by the reader that the control plane uses, each with its place in the text. */
export const check = (text: string): Checked => {
  const result = readPolicy(text)
  if (result.ok) return { value: result.document, problems: [] }
  return {
    value: plainValue(text),
    problems: result.problems.map(({ path, message, line = 1, column = 1 }) => ({
      path,
      message,
      line,
      span: spanAt(text, line, column),
    })),
  }
}

/** Where the document names what is at `path`; `null`: nowhere. */
export const spanOf = (text: string, path: readonly string[]): Span | null => {
  const parent = parseDocument(text).getIn(path.slice(0, -1), true)
  if (!isMap(parent)) return null
  const key = parent.items.find(({ key }) => isScalar(key) && String(key.value) === path.at(-1))?.key
  return isScalar(key) && key.range != null ? { from: key.range[0], to: key.range[1] } : null
}

/** A path as problems name it: dotted, with names that hold a dot in quotes. */
export const dotted = (path: readonly string[]): string =>
  path.map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))).join('.')
