import { expect, test } from 'vitest'
import { parseCommand } from './parse.ts'

const parse = (line: string) => parseCommand(line.split(' ').filter((word) => word !== ''))

test('the commands are read with all that they need', () => {
  expect(parse('operator create --email a@weir.test --name Ada --role admin --password-stdin')).toEqual({
    ok: true,
    command: { kind: 'operator-create', email: 'a@weir.test', name: 'Ada', role: 'admin' },
  })
  expect(parse('operator reset --email a@weir.test --password-stdin')).toEqual({
    ok: true,
    command: { kind: 'operator-reset', email: 'a@weir.test' },
  })
  expect(parse('operator sign-in-link --email a@weir.test')).toEqual({
    ok: true,
    command: { kind: 'operator-sign-in-link', email: 'a@weir.test', create: null, origin: null },
  })
  expect(parse('token create --role editor --name ci')).toEqual({
    ok: true,
    command: { kind: 'token-create', role: 'editor', name: 'ci', expiresInDays: 90 },
  })
})

test('a token’s life is days or never', () => {
  const life = (words: string) => parse(`token create --role viewer --name ci --expires-in-days ${words}`)
  expect(life('never')).toMatchObject({ command: { expiresInDays: null } })
  expect(life('1')).toMatchObject({ command: { expiresInDays: 1 } })
  for (const words of ['0', '3651', '1.5', 'soon']) expect(life(words).ok).toBe(false)
})

test('a sign-in link is for an operator who is there, or made with a name and a role', () => {
  const link = (words: string) => parse(`operator sign-in-link --email a@weir.test ${words}`)
  expect(link('--create --name Ada --role admin --origin https://weir.test/some/page')).toEqual({
    ok: true,
    command: {
      kind: 'operator-sign-in-link',
      email: 'a@weir.test',
      create: { name: 'Ada', role: 'admin' },
      origin: 'https://weir.test',
    },
  })
  const bare = link('--create')
  for (const option of ['--name', '--role']) expect(bare.ok ? '' : bare.problem).toContain(option)
  expect(link('--name Ada --role admin')).toEqual({
    ok: false,
    problem: '--name, --role does not belong to this command.',
  })
  for (const words of ['--origin weir.test', '--origin ftp://weir.test', '--password-stdin'])
    expect(link(words).ok, words).toBe(false)
  expect(parse('operator reset --email a@weir.test --password-stdin --create').ok).toBe(false)
})

test('every problem is told at once, by the option’s name', () => {
  const parsed = parse('operator create --email nonsense --role owner')
  expect(parsed).toMatchObject({ ok: false })
  for (const option of ['--email', '--name', '--role', '--password-stdin'])
    expect(parsed.ok ? '' : parsed.problem).toContain(option)
})

test('what is not a command, or not an option of it, is refused', () => {
  for (const line of ['', 'operator', 'operator remove', 'token create extra', 'operator create --password secret'])
    expect(parse(line).ok, line).toBe(false)
  expect(parse('operator reset --email a@weir.test --password-stdin --role admin')).toEqual({
    ok: false,
    problem: '--role does not belong to this command.',
  })
  expect(parse('--help')).toEqual({ ok: true, command: { kind: 'help' } })
})
