import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { ensure, PROMETHEUS, pathOf } from '../../../../tools/system-packages.ts'
import { freePort } from './sinks.ts'

const START_MS = 30_000

export interface RunningPrometheus {
  readonly url: string
  /** Ends it, its folder stays: `start` begins it anew on the same port. */
  stop(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  end(): Promise<void>
}

/** A real Prometheus that takes remote-write, with the storage settings of a configuration file's text. */
export const startPrometheus = (configuration: string): Promise<RunningPrometheus> =>
  runPrometheus(stringify({ storage: parse(configuration).storage }))

/** A real Prometheus in a folder of its own, with a configuration and the files beside it, by name. */
export const runPrometheus = async (
  configuration: string,
  files: Readonly<Record<string, string>> = {},
): Promise<RunningPrometheus> => {
  ensure(PROMETHEUS)
  const folder = await mkdtemp(join(tmpdir(), 'weir-prometheus-'))
  const config = join(folder, 'prometheus.yml')
  for (const [name, text] of Object.entries({ ...files, 'prometheus.yml': configuration }))
    await writeFile(join(folder, name), text)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let stop: (signal?: NodeJS.Signals) => Promise<void> = async () => {}
  const start = async () => {
    const child = spawn(
      pathOf(PROMETHEUS) ?? '',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.enable-remote-write-receiver',
      ],
      { stdio: 'ignore' },
    )
    const gone = once(child, 'exit')
    stop = async (signal = 'SIGTERM') => {
      child.kill(signal)
      await gone
    }
    await ready(url, () => child.exitCode === null)
  }
  await start()
  return {
    url,
    start,
    stop: (signal) => stop(signal),
    end: async () => {
      await stop('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const ready = async (url: string, lives: () => boolean): Promise<void> => {
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      (answer) => answer.ok,
      () => false,
    )
  const deadline = Date.now() + START_MS
  while (!(await isReady())) {
    if (!lives() || Date.now() > deadline) throw new Error('Prometheus does not start.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
