import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { API } from '@weir/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../adapters/postgres/embedded.ts'
import { startTestApp, type TestApp } from '../testing/harness.ts'
import { browserOf, PASSWORD, signedIn } from '../testing/people.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

const weir = (words: string[], environment: Record<string, string>, input = '') =>
  new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = spawn(process.execPath, ['--conditions', 'weir-src', MAIN, ...words], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: 'pipe',
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    child.on('close', (code) => resolve({ code, out, err }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })

const create = [
  'operator',
  'create',
  '--email',
  'Ada@weir.test',
  '--name',
  'Ada',
  '--role',
  'admin',
  '--password-stdin',
]
const token = ['token', 'create', '--role', 'viewer', '--name', 'ci']

describe('on DATABASE_URL, with the control plane running', () => {
  let app: TestApp
  let environment: Record<string, string>
  beforeAll(async () => {
    app = await startTestApp({ realIdentity: true })
    environment = { DATABASE_URL: app.databaseUrl }
  })
  afterAll(() => app.close())

  test('it makes an operator who can sign in, and gives them a new password that ends their sessions', async () => {
    const made = await weir(create, environment, `${PASSWORD}\n`)
    expect(made).toEqual({ code: 0, out: '', err: 'weir: ada@weir.test may sign in as admin.\n' })
    const browser = await signedIn(app, 'ada@weir.test')
    expect((await weir(create, environment, PASSWORD)).err).toContain('already')
    const reset = ['operator', 'reset', '--email', 'ada@weir.test', '--password-stdin']
    expect((await weir(reset, environment, 'a forgotten password')).code).toBe(0)
    expect((await browser.fetch('GET', `${API}/me`)).status).toBe(401)
    await signedIn(app, 'ada@weir.test', 'a forgotten password')
    const audit = await app.database.prisma.audit.findMany({
      where: { target: 'ada@weir.test' },
      orderBy: { id: 'asc' },
    })
    expect(audit.map((entry) => entry.action)).toEqual(['operator.create', 'operator.reset'])
    expect(audit[0]?.actor).toMatch(/^command line \(/)
  })

  test('it makes a sign-in link that works, alone on standard output, and its operator where there is none', async () => {
    const words = ['operator', 'sign-in-link', '--email', 'demo@weir.test']
    const none = await weir(words, environment)
    expect(none).toEqual({ code: 1, out: '', err: 'weir: There is no operator with the address demo@weir.test.\n' })
    const creating = [...words, '--create', '--name', 'Demo', '--role', 'editor', '--origin', app.url]
    const made = await weir(creating, environment)
    expect(made.code).toBe(0)
    const [, token = ''] = made.out.split('/sign-in#')
    expect(made.out).toBe(`${app.url}/sign-in#${token}`)
    expect(token).toMatch(/^weir_l_[\w-]{43}\n$/)
    const browser = browserOf(app)
    const body = { token: token.trim() }
    expect((await browser.fetch('POST', `${API}/sign-in-link`, { body })).status).toBe(204)
    expect(await (await browser.fetch('GET', `${API}/me`)).json()).toMatchObject({ name: 'Demo', role: 'editor' })
    const again = await weir([...creating.slice(0, -1), 'https://other.test'], {
      ...environment,
      PUBLIC_URL: 'https://weir.example/',
    })
    expect(again.out).toMatch(/^https:\/\/other\.test\/sign-in#weir_l_/)
    expect(await app.database.prisma.user.count({ where: { email: 'demo@weir.test' } })).toBe(1)
  })

  test('it makes a token that works, alone on standard output', async () => {
    const made = await weir(token, environment)
    expect(made.code).toBe(0)
    expect(made.out).toMatch(/^weir_t_[\w-]{43}\n$/)
    const headers = { authorization: `Bearer ${made.out.trim()}` }
    expect(await (await fetch(`${app.url}${API}/me`, { headers })).json()).toMatchObject({ name: 'ci', role: 'viewer' })
  })

  test('what it cannot do it says in one line, with an exit code', async () => {
    const short = await weir(create, environment, 'short')
    expect(short).toEqual({ code: 1, out: '', err: 'weir: A password has at least 12 characters.\n' })
    const unknown = await weir(
      ['operator', 'reset', '--email', 'no@weir.test', '--password-stdin'],
      environment,
      PASSWORD,
    )
    expect(unknown).toEqual({ code: 1, out: '', err: 'weir: There is no operator with the address no@weir.test.\n' })
    const away = await weir(token, { DATABASE_URL: 'postgresql://weir@127.0.0.1:1/weir' })
    expect(away.code).toBe(1)
    expect(away.err).toMatch(/^weir: The database at 127\.0\.0\.1:1 cannot be used: [^\n]+\n$/)
    expect((await weir(['operator', 'remove'], environment)).code).toBe(2)
  })
})

describe('on the built-in database', () => {
  let folder: string
  let environment: Record<string, string>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-cli-'))
    await chmod(folder, 0o755)
    environment = { WEIR_DATA: join(folder, 'data') }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const pidFile = () => join(folder, 'data', 'postgres', 'data', 'postmaster.pid')

  test('it works before the control plane has ever run, and leaves no server behind', async () => {
    expect((await weir(create, environment, PASSWORD)).err).toContain('may sign in')
    await expect(stat(pidFile())).rejects.toThrow('ENOENT')
    expect((await weir(create, environment, PASSWORD)).err).toContain('already')
    await expect(stat(pidFile())).rejects.toThrow('ENOENT')
  })

  test('it uses the server that runs, and leaves it running', async () => {
    const server = await startEmbeddedPostgres(join(folder, 'data', 'postgres'))
    try {
      const [first, second] = await Promise.all([weir(token, environment), weir(token, environment)])
      expect([first.code, second.code]).toEqual([0, 0])
      await expect(stat(pidFile())).resolves.toBeDefined()
      expect((await weir(token, environment)).code).toBe(0)
    } finally {
      await server.stop()
    }
  })
})
