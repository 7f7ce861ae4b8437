type Path = readonly PropertyKey[]

/** The part of a zod issue that is read here. */
interface Issue {
  readonly code?: string | undefined
  readonly path: Path
  readonly message: string
  readonly keys?: readonly string[]
  readonly errors?: readonly (readonly Issue[])[]
}

/** The part of a zod schema that is used here: the agent has zod through `@weir/policy` only. */
export interface ItemSchema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}

/** Bounds work on a hostile document: unknown keys nest at most this deep. */
const MAX_PASSES = 4

const unknownKeys = (issues: readonly Issue[], base: Path = []): Path[] =>
  issues.flatMap((issue) => {
    const at = [...base, ...issue.path]
    if (issue.code === 'unrecognized_keys') return (issue.keys ?? []).map((key) => [...at, key])
    if (issue.code === 'invalid_union') return (issue.errors ?? []).flatMap((errors) => unknownKeys(errors, at))
    return []
  })

const remove = (root: unknown, path: Path): void => {
  let node: unknown = root
  for (const part of path.slice(0, -1)) {
    if (typeof node !== 'object' || node === null) return
    node = Reflect.get(node, part)
  }
  const key = path.at(-1)
  if (typeof node === 'object' && node !== null && key !== undefined) Reflect.deleteProperty(node, key)
}

export type LenientParse<T> =
  | { readonly ok: true; readonly value: T; readonly ignored: readonly Path[] }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Parses with a strict schema, but leaves out what the schema does not know and says so: a newer control plane may know more. */
export const parseLeniently = <T>(schema: ItemSchema<T>, raw: unknown): LenientParse<T> => {
  const ignored: Path[] = []
  let value = raw
  for (let pass = 0; ; pass++) {
    const result = schema.safeParse(value)
    if (result.success) return { ok: true, value: result.data, ignored }
    const unknown = unknownKeys(result.error.issues)
    if (unknown.length === 0 || pass === MAX_PASSES) return { ok: false, issues: result.error.issues }
    if (pass === 0) value = structuredClone(raw)
    for (const path of unknown) remove(value, path)
    ignored.push(...unknown)
  }
}
