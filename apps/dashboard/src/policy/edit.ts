import { type Document, isMap, isScalar, parseDocument, stringify } from 'yaml'

export type Path = readonly string[]

const isJson = (text: string): boolean => text.trimStart().startsWith('{')

/** JSON has no comments to lose, so that it is simply written anew. */
const written = (document: Document, before: string): string =>
  isJson(before) ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 })

/** Replaces a scalar that is there by another, character for character: nothing around it moves. Null where it cannot. */
const setInPlace = (document: Document, text: string, path: Path, value: unknown): string | null => {
  const node = document.getIn(path, true)
  const plain = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
  if (!plain || !isScalar(node) || node.range == null || node.value === null || node.anchor !== undefined) return null
  const [from, to] = node.range
  return text.slice(0, from) + (isJson(text) ? JSON.stringify(value) : stringify(value).trimEnd()) + text.slice(to)
}

/** Makes every ancestor of `path` a map. `concurrency: 20` is short for `{ initial: 20 }` and is spelled out when it gets a neighbour. */
const openUp = (document: Document, path: Path): void => {
  if (!isMap(document.contents)) document.contents = document.createNode({}) as typeof document.contents
  for (let depth = 1; depth < path.length; depth++) {
    const here = path.slice(0, depth)
    const node = document.getIn(here, true)
    if (isMap(node)) continue
    const short = isScalar(node) && typeof node.value === 'number' && here.at(-1) === 'concurrency'
    document.setIn(here, document.createNode(short ? { initial: node.value } : {}))
  }
}

/** `concurrency/initial` is written as `concurrency` while there is nothing else to say about it. */
const shortened = (document: Document, path: Path): Path => {
  if (path.at(-1) !== 'initial' || path.at(-2) !== 'concurrency') return path
  return isMap(document.getIn(path.slice(0, -1), true)) ? path : path.slice(0, -1)
}

/** The text with `value` at `path`; comments and order of everything else stay. A text that does not parse is returned as it is. */
export const setAt = (text: string, path: Path, value: unknown): string => {
  const document = parseDocument(text)
  if (document.errors.length > 0) return text
  const target = shortened(document, path)
  const inPlace = setInPlace(document, text, target, value)
  if (inPlace !== null) return inPlace
  openUp(document, target)
  document.setIn(target, value !== null && typeof value === 'object' ? document.createNode(value) : value)
  return written(document, text)
}

/** Items keep their place when they are empty: `gates.checkout: {}` is a gate with every default. */
const ITEM_DEPTH = 2

/** The text without `path`, and without the maps that became empty by it. */
export const removeAt = (text: string, path: Path): string => {
  const document = parseDocument(text)
  if (document.errors.length > 0 || document.contents === null) return text
  const parent = document.getIn(path.slice(0, -1), true)
  if (isScalar(parent) && path.at(-2) === 'concurrency') document.deleteIn(path.slice(0, -1))
  else if (document.hasIn(path)) document.deleteIn(path)
  for (let depth = path.length - 1; depth > ITEM_DEPTH; depth--) {
    const here = document.getIn(path.slice(0, depth), true)
    if (isMap(here) && here.items.length === 0) document.deleteIn(path.slice(0, depth))
  }
  return written(document, text)
}

/** The value at `path` of a parsed document; reads the short form of a concurrency. */
export const valueAt = (value: unknown, path: Path): unknown => {
  let here = value
  for (const [depth, key] of path.entries()) {
    if (typeof here === 'number' && path[depth - 1] === 'concurrency') return key === 'initial' ? here : undefined
    if (here === null || typeof here !== 'object' || Array.isArray(here)) return undefined
    here = Object.hasOwn(here, key) ? (here as Record<string, unknown>)[key] : undefined
  }
  return here
}

/** Names of the members at `path`, in the document's order. */
export const keysAt = (value: unknown, path: Path): string[] => {
  const here = valueAt(value, path)
  return here !== null && typeof here === 'object' && !Array.isArray(here) ? Object.keys(here) : []
}
