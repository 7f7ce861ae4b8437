import { describe, expect, it } from 'vitest'
import { readTraffic } from './read.ts'

const service = { time: { kind: 'constant', ms: 5 } }
const document = (gate: object) => JSON.stringify({ version: 1, gates: { checkout: { service, ...gate } } }, null, 2)
const problems = (text: string) => {
  const read = readTraffic(text)
  return read.ok ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`)
}

describe('a traffic document', () => {
  it('is read with its defaults', () => {
    const read = readTraffic(document({ bins: { stepMs: 1_000, offered: [1, 2] } }))
    expect(read).toMatchObject({
      ok: true,
      traffic: { instances: 1, gates: { checkout: { trusted: false, service: { concurrency: null, failed: 0 } } } },
    })
  })

  it('may be lines: a head, then one arrival each, in any order', () => {
    const head = JSON.stringify({ version: 1, gates: { checkout: { service } } })
    const read = readTraffic(
      `${head}\n{"atMs":20,"class":"critical"}\n\n{"gate":"checkout","atMs":10,"tenant":"acme"}\n`,
    )
    expect(read).toMatchObject({
      ok: true,
      traffic: {
        gates: {
          checkout: {
            arrivals: [
              { atMs: 10, tenant: 'acme' },
              { atMs: 20, class: 'critical' },
            ],
          },
        },
      },
    })
  })

  it('says every problem with its path', () => {
    expect(problems(document({ load: { stretches: [{ ms: 0, perSecond: -1 }], spread: 'odd' } }))).toEqual([
      'gates.checkout.load.stretches.0.ms: It must be more than 0.',
      'gates.checkout.load.stretches.0.perSecond: It must be at least 0.',
      expect.stringContaining('gates.checkout.load.spread: It must be one of "poisson", "even"'),
    ])
    expect(problems(document({ servise: 1, bins: { stepMs: 1, offered: [1] } }))[0]).toContain('gates.checkout.servise')
    expect(problems(document({}))).toEqual([
      'gates.checkout: Exactly one of "bins", "load" and "arrivals" says when work arrives.',
    ])
    expect(problems('{"version": 2}')[0]).toContain('version: ')
  })

  it('says problems of a line by its number', () => {
    const head = JSON.stringify({ version: 1, gates: { checkout: { service }, search: { service } } })
    const text = (line: string) => `${head}\n{"gate":"search","atMs":1}\n${line}\n{"gate":"checkout","atMs":2}`
    expect(problems(text('{"gate":"checkout","atMs":"soon"}'))).toEqual([
      'line 3: atMs: It must be a number, but it is text ("soon").',
    ])
    expect(problems(text('{"atMs":1}'))).toEqual([
      "line 3: gate: It must be one of the first line's gates: checkout, search.",
    ])
    expect(problems(text('oops'))[0]).toMatch(/^line 3: This is not JSON/)
  })

  it('of a histogram wants one count more than bounds, ascending, and anything counted', () => {
    const of = (upToMs: number[], counts: number[]) =>
      problems(
        document({ service: { time: { kind: 'histogram', upToMs, counts } }, bins: { stepMs: 1, offered: [1] } }),
      )
    expect(of([1, 2], [1, 2])[0]).toContain('service.time.counts: There must be one count more')
    expect(of([2, 1], [1, 1, 1])[0]).toContain('service.time.upToMs: The bounds must ascend.')
    expect(of([1], [0, 0])[0]).toContain('At least one count')
  })

  it('that is none is said', () => {
    expect(problems('')[0]).toContain('This is not JSON')
    expect(problems('[]')[0]).toContain('a list')
  })
})
