import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ALERT_RULE_NAMES } from '@weir/api'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ALERTMANAGER, ensure, PROMETHEUS, pathOf } from '../tools/system-packages.ts'

const folder = fileURLToPath(new URL('../infra/prometheus', import.meta.url))
const run = promisify(execFile)
/** A tool that comes with a package, beside its program. */
const tool = (name: string, of: typeof PROMETHEUS) => {
  const path = join(dirname(pathOf(of) ?? ''), name)
  return (...args: string[]) => run(path, args, { cwd: folder })
}
const promtool = (...args: string[]) => tool('promtool', PROMETHEUS)(...args)
const amtool = (...args: string[]) => tool('amtool', ALERTMANAGER)(...args)

beforeAll(() => {
  ensure(PROMETHEUS)
  ensure(ALERTMANAGER)
})

it('the Prometheus rules are sound, wake nobody at a known peak, and do at a collapse', async () => {
  await promtool('check', 'rules', 'weir-figures.yaml', 'weir-outcomes.yaml', 'weir-rules.yaml')
  expect((await promtool('test', 'rules', 'weir-rules.test.yaml')).stdout).toContain('SUCCESS')
})

it('they name runbooks that are there', () => {
  const reference = readFileSync(new URL('../docs/reference/alerts.md', import.meta.url), 'utf8')
  const anchors = [...reference.matchAll(/^## (.+)$/gm)].map(([, title]) => title?.toLowerCase().replaceAll(' ', '-'))
  const { groups } = parse(readFileSync(join(folder, 'weir-rules.yaml'), 'utf8')) as {
    groups: { rules: { alert?: string; annotations?: { runbook_url?: string } }[] }[]
  }
  const alerts = groups
    .flatMap(({ rules }) => rules)
    .filter(({ alert }) => alert !== undefined && alert !== 'WeirWatchdog')
  expect(alerts.length).toBeGreaterThan(5)
  for (const { annotations } of alerts) expect(anchors).toContain(annotations?.runbook_url?.split('#')[1])
})

it('the Alertmanager example is sound and sends each to whom it is for', async () => {
  await amtool('check-config', 'alertmanager.yaml')
  const routed = async (...labels: string[]) =>
    (await amtool('config', 'routes', 'test', '--config.file=alertmanager.yaml', ...labels)).stdout.trim()
  expect(await routed('alertname=WeirCollapse', 'severity=page', 'environment=prod', 'service=orders')).toBe('pager')
  expect(await routed('alertname=WeirSustainedShedding', 'severity=ticket')).toBe('tickets')
  expect(await routed('alertname=WeirWatchdog', 'severity=info')).toBe('dead-man')
  expect(await routed('alertname=WeirAgentsStale', 'severity=info')).toBe('nobody')
  const config = readFileSync(join(folder, 'alertmanager.yaml'), 'utf8')
  const known = new Set(
    ALERT_RULE_NAMES.map(
      (name) =>
        `Weir${name
          .split('-')
          .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
          .join('')}`,
    ),
  )
  for (const [name] of config.matchAll(/Weir[A-Z]\w+/g))
    expect(known.has(name) || ['WeirWatchdog', 'WeirTest'].includes(name), name).toBe(true)
})
