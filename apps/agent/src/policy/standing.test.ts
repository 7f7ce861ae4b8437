import { describe, expect, it } from 'vitest'
import { type Standing, type Verdict, weigh } from './standing.ts'

const at = (source: Standing['source'], revision?: number, databaseId = 'db', hash = `h${revision}`): Standing => ({
  source,
  identity: revision === undefined ? null : { databaseId, revision, hash },
})

const table: [present: Standing, offered: Standing, Verdict][] = [
  [at('built-in'), at('bootstrap'), 'apply'],
  [at('built-in'), at('disk', 3), 'apply'],
  [at('built-in'), at('poll', 3), 'apply'],
  [at('built-in'), at('stream', 3), 'apply'],
  [at('bootstrap'), at('disk', 3), 'apply'],
  [at('bootstrap'), at('bootstrap'), 'lesser'],
  [at('bootstrap'), at('stream', 3), 'apply'],
  [at('disk', 3), at('bootstrap'), 'lesser'],
  [at('disk', 3), at('stream', 4), 'apply'],
  [at('disk', 3), at('stream', 3), 'repeat'],
  [at('disk', 3), at('stream', 2), 'older'],
  [at('disk', 3), at('poll', 2), 'older'],
  [at('stream', 3), at('disk', 9), 'lesser'],
  [at('stream', 3), at('poll', 4), 'apply'],
  [at('poll', 3), at('stream', 3), 'repeat'],
  [at('poll', 4), at('stream', 3), 'older'],
  [at('stream', 3), at('stream', 3, 'db', 'other'), 'apply'],
  [at('stream', 9), at('stream', 1, 'restored'), 'apply'],
  [at('disk', 9), at('poll', 1, 'restored'), 'apply'],
]

describe('the choice between the layers of last resort', () => {
  it.each(table)('with %j in force, %j means %s', (present, offered, verdict) => {
    expect(weigh(present, offered)).toBe(verdict)
  })
})
