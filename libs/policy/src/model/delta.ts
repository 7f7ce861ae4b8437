import { canonical } from './canonical.ts'

/** One member of a JSON document is another one: `value` is set at `path`, the names on the way to it; without `value` it is taken out. */
export interface DeltaChange {
  readonly path: readonly string[]
  readonly value?: unknown
}

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What turns one JSON object into another, in order: objects are compared member by member, everything else is replaced whole. */
export const deltaOf = (before: JsonObject, after: JsonObject): DeltaChange[] => {
  const changes: DeltaChange[] = []
  compare(before, after, [], changes)
  return changes
}

const compare = (before: JsonObject, after: JsonObject, at: readonly string[], changes: DeltaChange[]): void => {
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) changes.push({ path: [...at, name] })
  for (const [name, value] of Object.entries(after)) {
    const path = [...at, name]
    const was = Object.hasOwn(before, name) ? before[name] : undefined
    if (isObject(was) && isObject(value)) compare(was, value, path, changes)
    else if (was === undefined || canonical(was) !== canonical(value)) changes.push({ path, value })
  }
}

/**
 * The object after the changes; the one before is left as it is, and shares with it what is the same. Each object on a path is copied once, however many
 * changes go through it. `null`: a path leads through what is no object, the changes are of another base.
 */
export const applyDelta = (base: JsonObject, changes: readonly DeltaChange[]): JsonObject | null => {
  const own = new Set<JsonObject>()
  const copyOf = (object: JsonObject): JsonObject => {
    if (own.has(object)) return object
    const copy = { ...object }
    own.add(copy)
    return copy
  }
  const root = copyOf(base)
  for (const change of changes) {
    const { path } = change
    const last = path.at(-1)
    if (last === undefined) return null
    let at = root
    for (const name of path.slice(0, -1)) {
      const member = Object.hasOwn(at, name) ? at[name] : null
      if (!isObject(member)) return null
      const copy = copyOf(member)
      put(at, name, copy)
      at = copy
    }
    if (Object.hasOwn(change, 'value')) put(at, last, change.value)
    else if (Object.hasOwn(at, last)) Reflect.deleteProperty(at, last)
    else return null
  }
  return root
}

/** Also where the name is one that every object inherits. */
const put = (object: JsonObject, name: string, value: unknown): void => {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
