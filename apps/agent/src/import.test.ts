import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Which packages a process loads that imports the agent, and starts it where there are options. */
const loaded = async (options: object | null): Promise<string[]> => {
  const script = `
    import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({ resolve: (specifier, context, next) => (seen.add(specifier), next(specifier, context)) })
    const { Weir } = await import('@weir/agent')
    const options = ${JSON.stringify(options)}
    const weir = options && (await Weir.start(options))
    await weir?.close()
    console.log(JSON.stringify([...seen].filter((name) => /^[a-z@]/.test(name) && !name.startsWith('node:'))))`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions', 'weir-src', '--no-warnings', '--input-type=module', '-e', script],
    { cwd: new URL('.', import.meta.url).pathname },
  )
  return JSON.parse(stdout)
}

it('loads no schema and no socket before it is started', async () => {
  const third = ['zod', 'ws', '@weir/policy/items', '@weir/wire/schema']
  expect((await loaded(null)).filter((name) => third.includes(name))).toEqual([])
}, 30_000)

it('loads YAML only where there is a bootstrap file, and the OpenTelemetry API only where figures go somewhere', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-import-'))
  try {
    const bare = await loaded({ snapshotDir: false, telemetry: 'off' })
    expect(bare).toContain('zod')
    expect(
      bare.filter((name) =>
        [
          'yaml',
          '@opentelemetry/api',
          'fastify',
          'undici',
          'amqplib',
          'bullmq',
          'kafkajs',
          'pg-boss',
          'ioredis',
          'pg',
        ].includes(name),
      ),
    ).toEqual([])
    await writeFile(join(folder, 'weir.yaml'), 'gates: {}\n')
    expect(await loaded({ snapshotDir: false, telemetry: 'off', bootstrapFile: join(folder, 'weir.yaml') })).toContain(
      'yaml',
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 30_000)

it.each([
  [
    ['ws', 'yaml'],
    ['start: no ws', 'start: no yaml'],
  ],
  [['zod'], ['start: no zod', 'start: no zod', 'start: no zod']],
])(
  'starts on the next best where %s cannot be loaded, and tells so',
  async (missing, complaints) => {
    const script = `
    import { registerHooks } from 'node:module'
    const resolve = (specifier, context, next) => {
      if (${JSON.stringify(missing)}.includes(specifier)) throw new Error('no ' + specifier)
      return next(specifier, context)
    }
    registerHooks({ resolve })
    const { Weir } = await import('@weir/agent')
    const told = []
    const weir = await Weir.start({
      controlPlane: 'ws://127.0.0.1:9', key: 'key', snapshotDir: false, telemetry: 'off', bootstrapFile: '/none.yaml',
      onError: (error, where) => told.push(where + ': ' + error.message),
    })
    const value = await weir.gate('orders').run({}, () => 42)
    await weir.close()
    console.log(JSON.stringify([value, told.sort()]))`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions', 'weir-src', '--no-warnings', '--input-type=module', '-e', script],
      { cwd: new URL('.', import.meta.url).pathname },
    )
    expect(JSON.parse(stdout)).toEqual([42, complaints])
  },
  30_000,
)
