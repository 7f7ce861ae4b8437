import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from './run.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-simulate-'))
})
afterAll(() => rm(folder, { recursive: true }))

const file = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}
const run = async (...words: string[]) => {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runCommand(words, {
    environment: { WEIR_URL: 'http://127.0.0.1:1' },
    print: (text) => out.push(text),
    tell: (text) => err.push(text),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

const TRAFFIC = JSON.stringify({
  version: 1,
  gates: {
    checkout: {
      service: { time: { kind: 'constant', ms: 100 } },
      load: { stretches: [{ ms: 10_000, perSecond: 100 }], classes: { critical: 1, sheddable: 1 } },
    },
  },
})

describe('npm run simulate', () => {
  it('plays a policy against a file, and says what it would do beside another', async () => {
    const traffic = await file('traffic.json', TRAFFIC)
    const draft = await file('draft.yaml', 'gates: { checkout: { concurrency: 5, queue: { maxWaitMs: 0 } } }')
    const live = await file('live.yaml', 'gates: { checkout: {} }')
    const alone = await run('--policy', draft, '--traffic', traffic)
    expect(alone.code).toBe(0)
    expect(alone.out).toMatch(/checkout +\d+ +\d\d % +\d\d % +0 %/)
    expect(alone.out).toContain('limit-reached')
    const beside = await run('--policy', draft, '--traffic', traffic, '--against', live)
    expect(beside.out).toMatch(/! checkout would shed \d\d % of all work, where the live policy sheds none\./)
  })

  it('prints JSON and nothing else where it is asked to', async () => {
    const traffic = await file('traffic.json', TRAFFIC)
    const policy = await file('policy.yaml', 'gates: { checkout: {} }')
    const { out } = await run('--policy', policy, '--traffic', traffic, '--json', '--instances', '2', '--seed', '5')
    expect(JSON.parse(out).prediction).toMatchObject({ seconds: 10, instances: { simulated: 2, of: 2 } })
  })

  it('ends with 2 and every problem where a document or the command is not right', async () => {
    const traffic = await file('traffic.json', TRAFFIC)
    const policy = await file('policy.yaml', 'gates:\n  checkout:\n    concurency: 5\n')
    const wrong = await run('--policy', policy, '--traffic', traffic)
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('gates.checkout.concurency (line 3)') })
    const bad = await run('--policy', await file('p.yaml', ''), '--traffic', await file('bad.json', '{"version":1}'))
    expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('bad.json is not right:\n  gates: ') })
    for (const words of [
      ['--policy', policy],
      ['--policy', policy, '--traffic', 'a', '--service', 'b'],
      ['--traffic', 'a'],
      ['--what'],
      ['--policy', 'a', '--service', 's', '--last', '1y'],
    ])
      expect((await run(...words)).code, words.join(' ')).toBe(2)
  })

  it('ends with 1 where it cannot be done: a file that is not there, nothing to play, a control plane that is away', async () => {
    const traffic = await file('traffic.json', TRAFFIC)
    const policy = await file('policy.yaml', '')
    expect(await run('--policy', join(folder, 'none'), '--traffic', traffic)).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be read'),
    })
    const empty = await file('empty.json', TRAFFIC.replace('"perSecond":100', '"perSecond":0'))
    expect(await run('--policy', policy, '--traffic', empty)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was offered'),
    })
    expect(await run('--policy', policy, '--service', 'orders')).toMatchObject({
      code: 1,
      err: expect.stringContaining('No answer from http://127.0.0.1:1'),
    })
    expect((await run('--help')).out).toContain('--last')
  })
})

it("the guide's traffic is one, and what it says of it holds", async () => {
  const text = (path: string) => readFile(new URL(`../../../../docs/${path}`, import.meta.url), 'utf8')
  const guide = /```json\n([\s\S]*?)```/.exec(await text('simulating.md'))?.[1] ?? ''
  expect(JSON.parse(guide)).toEqual(JSON.parse(await text('examples/traffic.json')))
  const policy = await file('policy.yaml', 'gates: { checkout: { concurrency: 20 } }')
  const path = new URL('../../../../docs/examples/traffic.json', import.meta.url).pathname
  expect(await run('--policy', policy, '--traffic', path)).toMatchObject({ code: 0 })
})
