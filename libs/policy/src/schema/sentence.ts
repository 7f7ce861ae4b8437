import type { z } from 'zod'
import type { Problem } from '../model/policy.ts'

type Issue = z.core.$ZodIssue

const list = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ')

const nouns: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a group of settings',
  record: 'a group of named settings',
  array: 'a list',
  null: 'nothing',
  undefined: 'nothing',
}
const noun = (type: string): string => nouns[type] ?? type

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return typeof value === 'object'
    ? 'a group of settings'
    : `${noun(typeof value)} (${JSON.stringify(value).slice(0, 60)})`
}

/** At most this many problems are listed: a document that has more needs another kind of help. */
const MAX_PROBLEMS = 200

const nearest = (word: string, known: readonly string[]): string | undefined =>
  known.find((candidate) => candidate.toLowerCase() === word.toLowerCase()) ??
  known.find((candidate) => distance(candidate.toLowerCase(), word.toLowerCase()) <= 2)

/** Levenshtein distance; words of a policy are short. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Keys that the schema knows at a path, for "did you mean". */
export type KnownKeys = (path: readonly PropertyKey[]) => readonly string[]

const unknownKey = (path: readonly PropertyKey[], key: string, known: KnownKeys): Problem => {
  const keys = known(path)
  const guess = nearest(key, keys)
  const hint = guess ? ` Did you mean "${guess}"?` : keys.length > 0 ? ` Known here: ${keys.join(', ')}.` : ''
  return { path: dotted([...path, key]), message: `There is no setting "${key}" here.${hint}` }
}

const limitSentence = (issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string => {
  const small = issue.code === 'too_small'
  const bound = Number(small ? issue.minimum : issue.maximum)
  const unit = issue.origin === 'string' ? ' characters long' : issue.origin === 'array' ? ' entries' : ''
  const relation = small ? (issue.inclusive ? 'at least' : 'more than') : issue.inclusive ? 'at most' : 'less than'
  return `It must be ${relation} ${bound}${unit}.`
}

const expectation = (issue: Extract<Issue, { code: 'invalid_type' }>, input: unknown): string =>
  `It must be ${noun(issue.expected)}, but it is ${kindOf(input)}.`

const discriminated = (key: string, value: unknown): string =>
  value === undefined ? `"${key}" must be set.` : `${kindOf(value)} is not one of the known kinds.`

/** One issue of the validator as sentences that an operator understands, each with its path. */
const sentences = (
  issue: Issue,
  at: readonly PropertyKey[],
  input: (path: readonly PropertyKey[]) => unknown,
  known: KnownKeys,
): Problem[] => {
  const path = [...at, ...issue.path]
  const one = (message: string): Problem[] => [{ path: dotted(path), message }]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(path, key, known))
    case 'invalid_type':
      return one(expectation(issue, input(path)))
    case 'too_small':
    case 'too_big':
      return one(limitSentence(issue))
    case 'invalid_value':
      return one(
        `It must be ${issue.values.length > 1 ? 'one of ' : ''}${list(issue.values)}, but it is ${kindOf(input(path))}.`,
      )
    case 'invalid_union': {
      // The branch that fits best speaks: a wrong key inside an object is about the object, not about the shorthand.
      const branches = issue.errors.map((errors) => errors.flatMap((error) => sentences(error, path, input, known)))
      const deepest = branches.filter(
        (problems) => problems.length > 0 && problems.every((problem) => problem.path !== dotted(path)),
      )
      if (deepest[0]) return deepest[0]
      if (issue.discriminator) return one(discriminated(issue.discriminator, input(path)))
      return one(branches.flat()[0]?.message ?? issue.message)
    }
    case 'invalid_key':
      return one(issue.issues[0]?.message ?? 'This name is not allowed.')
    default:
      return one(issue.message)
  }
}

/** Dotted path; a name with a dot or a space in it is quoted. */
export const dotted = (path: readonly PropertyKey[]): string =>
  path.map((part) => (/^[\w-]+$/.test(String(part)) ? String(part) : JSON.stringify(String(part)))).join('.')

/** All issues of a failed parse, in the order of the document's paths, without repeats. */
export const problemsOf = (error: z.ZodError, document: unknown, known: KnownKeys): Problem[] => {
  const input = (path: readonly PropertyKey[]): unknown =>
    path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], document)
  const all = error.issues.flatMap((issue) => sentences(issue, [], input, known))
  const unique = new Map(all.map((problem) => [`${problem.path}\n${problem.message}`, problem]))
  return [...unique.values()].slice(0, MAX_PROBLEMS)
}
