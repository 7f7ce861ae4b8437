import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALERTMANAGER, ensure, pathOf } from '../../../../tools/system-packages.ts'

const START_MS = 30_000

export interface RunningAlertmanager {
  /** Of its API: what fires now, by `alertname`. */
  firing(): Promise<string[]>
  end(signal?: NodeJS.Signals): Promise<void>
}

/** A configuration that tells each change at once to one webhook. */
export const toldAtOnce = (hook: string): string =>
  [
    'route: { receiver: hook, group_by: [alertname, service], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }',
    `receivers: [{ name: hook, webhook_configs: [{ url: "${hook}", send_resolved: true }] }]`,
    '',
  ].join('\n')

/** A real Alertmanager on a port, in a folder of its own. */
export const startAlertmanager = async (port: number, configuration: string): Promise<RunningAlertmanager> => {
  ensure(ALERTMANAGER)
  const folder = await mkdtemp(join(tmpdir(), 'weir-alertmanager-'))
  await writeFile(join(folder, 'alertmanager.yml'), configuration)
  const child: ChildProcess = spawn(
    pathOf(ALERTMANAGER) ?? '',
    [
      `--config.file=${join(folder, 'alertmanager.yml')}`,
      `--storage.path=${folder}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  )
  const gone = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + START_MS
  while (
    !(await fetch(`${url}/-/ready`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('Alertmanager does not start.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    firing: async () => {
      const alerts = (await (await fetch(`${url}/api/v2/alerts?active=true`)).json()) as {
        labels: { alertname: string }
      }[]
      return alerts.map(({ labels }) => labels.alertname).sort()
    },
    end: async (signal = 'SIGTERM') => {
      child.kill(signal)
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}
