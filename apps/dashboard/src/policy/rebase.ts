import { isMap, parseDocument } from 'yaml'
import { type Path, removeAt, setAt } from './edit.ts'

/** A setting that both sides changed, each in its own way. `undefined` = removed. */
interface Conflict {
  readonly path: string
  readonly mine: unknown
  readonly theirs: unknown
}

export interface Rebased {
  readonly text: string
  /** Settings carried over. */
  readonly carried: number
  readonly conflicts: readonly Conflict[]
}

const SEPARATOR = '\u0000'

/** Settings by path; a map without members is a setting too: a gate with every default. */
const settings = (value: unknown, path: Path = [], into = new Map<string, unknown>()): Map<string, unknown> => {
  const isMapping = value !== null && typeof value === 'object' && !Array.isArray(value)
  if (isMapping && Object.keys(value).length > 0)
    for (const [key, member] of Object.entries(value)) settings(member, [...path, key], into)
  else if (path.length > 0) into.set(path.join(SEPARATOR), value)
  return into
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const parsed = (text: string): unknown | undefined => {
  const document = parseDocument(text)
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) return undefined
  return document.toJS() ?? {}
}

/**
 * Puts what `mine` changed since `base` on top of `theirs`, setting by setting. Where both changed the same setting differently, mine is taken
 * and the conflict is told. Null where one of the texts does not parse: then only a person can do it.
 */
export const rebase = (base: string, mine: string, theirs: string): Rebased | null => {
  const [before, ours, others] = [parsed(base), parsed(mine), parsed(theirs)]
  if (before === undefined || ours === undefined || others === undefined) return null
  const [from, to, present] = [settings(before), settings(ours), settings(others)]
  const conflicts: Conflict[] = []
  let text = theirs
  let carried = 0
  for (const key of new Set([...from.keys(), ...to.keys()])) {
    const wanted = to.get(key)
    if (to.has(key) === from.has(key) && same(wanted, from.get(key))) continue
    const theirsNow = present.get(key)
    const untouched = present.has(key) === from.has(key) && same(theirsNow, from.get(key))
    const agreed = present.has(key) === to.has(key) && same(theirsNow, wanted)
    if (agreed) continue
    if (!untouched) conflicts.push({ path: key.replaceAll(SEPARATOR, '.'), mine: wanted, theirs: theirsNow })
    const path = key.split(SEPARATOR)
    text = to.has(key) ? setAt(text, path, wanted) : removeAt(text, path)
    carried++
  }
  return { text, carried, conflicts }
}
