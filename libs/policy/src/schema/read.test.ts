import { describe, expect, it } from 'vitest'
import { readPolicy } from './read.ts'

const problems = (text: string) => {
  const result = readPolicy(text)
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`)
}

describe('reading a policy document', () => {
  it('says all five mistakes at once, each with its path and place', () => {
    const result = readPolicy(
      [
        'gates:',
        '  checkout:',
        '    concurency: 5',
        '    concurrency: { floor: 5, initial: 2, ceiling: 9 }',
        '    classes: { reserves: { critical: 0.9, sheddable: 0.2 } }',
        'dependencies:',
        '  payments: { timeoutMs: "3s", retry: { maxAttempts: 9 } }',
      ].join('\n'),
    )
    expect(result.ok).toBe(false)
    if (result.ok) return
    expect(result.problems.map(({ path, line }) => [path, line])).toEqual([
      ['gates.checkout.concurrency.floor', 4],
      ['gates.checkout.classes.reserves', 5],
      ['gates.checkout.concurency', 3],
      ['dependencies.payments.timeoutMs', 7],
      ['dependencies.payments.retry.maxAttempts', 7],
    ])
  })

  it('an empty document is the empty policy', () => {
    expect(readPolicy('')).toMatchObject({ ok: true, policy: { version: 1, gates: {} } })
    expect(readPolicy('# only a comment\n')).toMatchObject({ ok: true })
  })

  it.each([
    [
      'gates: {a: {conurrency: 5}}',
      'gates.a.conurrency: There is no setting "conurrency" here. Did you mean "concurrency"?',
    ],
    [
      'gates: {a: {concurrency: {initail: 5}}}',
      'gates.a.concurrency.initail: There is no setting "initail" here. Did you mean "initial"?',
    ],
    ['gates: {a: {concurrency: 0}}', 'gates.a.concurrency: It must be at least 1.'],
    ['gates: {a: {mode: on}}', 'gates.a.mode: It must be one of "enforce", "observe", "off", but it is text ("on").'],
    ['gates: {a: {queue: {maxWaitMs: -1}}}', 'gates.a.queue.maxWaitMs: It must be at least 0.'],
    ['gates: {a: {queue: {maxWaitMs: .inf}}}', 'gates.a.queue.maxWaitMs: It must be a number, but it is Infinity.'],
    ['gates: {a: {queue: {maxWaitMs: .nan}}}', 'gates.a.queue.maxWaitMs: It must be a number, but it is NaN.'],
    [
      'gates: {a: {signals: {heapShare: {open: 0.8, close: 0.9}}}}',
      'gates.a.signals.heapShare.close: The closing threshold (0.9) must be below the opening one (0.8), or the signal would flap.',
    ],
    [
      'dependencies: {p: {budget: {kind: coins}}}',
      'dependencies.p.budget.kind: text ("coins") is not one of the known kinds.',
    ],
    ['dependencies: {p: {budget: {maxTokens: 5}}}', 'dependencies.p.budget.kind: "kind" must be set.'],
    [
      'tenants: {default: {burst: 5}}',
      'tenants.default.burst: A burst needs a rate: without a rate nothing is counted.',
    ],
    ['version: 2', 'version: It must be 1, but it is a number (2).'],
    ['- gates', ': It must be a group of settings, but it is a list.'],
  ])('%s', (text, problem) => {
    expect(problems(text)).toEqual([problem])
  })

  it.each(['gates: [1', 'a: 1\na: 2', '"', '&a [*a, *a]', '%YAML 9.9\n---\nx'])('never throws on %s', (text) => {
    expect(readPolicy(text).ok).toBe(false)
  })

  it('refuses a document that is too long, and one that grows by aliases', () => {
    expect(problems('x'.repeat(300_000))).toEqual([': The document is longer than 256 KiB.'])
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...Array.from(
        { length: 8 },
        (_, i) => `${'bcdefghi'[i]}: &${'bcdefghi'[i]} [${Array(10).fill(`*${'abcdefgh'[i]}`).join(',')}]`,
      ),
    ].join('\n')
    expect(readPolicy(bomb).ok).toBe(false)
  })

  it('a gate named like a member of Object.prototype is only a name', () => {
    for (const name of ['constructor', 'tostring', 'valueof'])
      expect(readPolicy(`gates: { ${name}: { concurrency: 3 } }`)).toMatchObject({ ok: true })
    expect(readPolicy('gates: { __proto__: { concurrency: 3 } }').ok).toBe(false)
  })
})
