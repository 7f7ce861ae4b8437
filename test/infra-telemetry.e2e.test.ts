import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PromMetrics } from '../apps/control-plane/src/adapters/prometheus/own-metrics.ts'
import { AGENT_PATHS } from '../libs/wire/src/model/index.ts'
import { ensure, PROMETHEUS, pathOf } from '../tools/system-packages.ts'

const infra = (path: string): string => new URL(`../infra/${path}`, import.meta.url).pathname
const text = (path: string): string => readFileSync(infra(path), 'utf8')
let folder: string
beforeAll(() => {
  ensure(PROMETHEUS)
  folder = mkdtempSync(join(tmpdir(), 'weir-infra-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const promtool = (...args: string[]): string =>
  execFileSync(join(pathOf(PROMETHEUS) ?? '', '..', 'promtool'), args, { encoding: 'utf8', stdio: 'pipe' })

const counts = { windows: 0, repeats: 0, refused: 0, foreign: 0, turnedAway: 0 }
/** What the control plane serves at /metrics. */
const served = (): Promise<string> =>
  new PromMetrics({
    ingest: { counts, waiting: 0, books: { off: () => [{ environment: 'prod', service: 'orders' }] } },
    rate: { refused: 0 },
    decisions: { counts: { kept: 0, passed: 0, lost: 0 } },
    agents: { connected: 0, misbehaviours: { malformed: 0 } },
  }).text()

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}
const panels = (): Panel[] => JSON.parse(text('grafana/control-plane.json')).panels

describe('infra for telemetry', () => {
  it('promtool takes the scrape configuration, and it asks for what is served', () => {
    const token = join(folder, 'token')
    writeFileSync(token, 'weir_token_x')
    const config = join(folder, 'prometheus.yml')
    writeFileSync(config, text('prometheus/prometheus.yml').replace('/etc/prometheus/weir-token', token))
    const { scrape_configs, rule_files } = parse(text('prometheus/prometheus.yml'))
    for (const name of rule_files) writeFileSync(join(folder, name), text(`prometheus/${name}`))
    expect(promtool('check', 'config', config)).toContain('SUCCESS')
    expect(scrape_configs[0]).toMatchObject({ metrics_path: '/metrics', authorization: { type: 'Bearer' } })
  })

  it('every panel of the dashboard asks for metrics that are served, in queries that Prometheus takes', async () => {
    const metrics = await served()
    const known = new Set([...metrics.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
    const words = new Set(['sum', 'by', 'rate', 'fate', 'why', 'how', 'job', 'weir', 'm'])
    const exprs = panels().flatMap(({ targets }) => targets.map(({ expr }) => expr))
    expect(exprs.length).toBeGreaterThan(10)
    for (const expr of exprs)
      for (const [name] of expr.matchAll(/[a-z_][a-z0-9_]*/g))
        expect(known.has(name) || words.has(name), `${name} in ${expr}`).toBe(true)
    const rules = join(folder, 'rules.json')
    const asRules = exprs.map((expr, i) => ({ record: `panel:${i}`, expr }))
    writeFileSync(rules, JSON.stringify({ groups: [{ name: 'panels', rules: asRules }] }))
    expect(promtool('check', 'rules', rules)).toContain(`${exprs.length} rules found`)
  })

  it('the names of the metrics are as Prometheus wants them', async () => {
    const metrics = (await served())
      .split('\n')
      .filter((line) => /weir_/.test(line))
      .join('\n')
    const file = join(folder, 'metrics')
    writeFileSync(file, `${metrics}\n`)
    expect(() =>
      execFileSync('sh', ['-c', `"${join(pathOf(PROMETHEUS) ?? '', '..', 'promtool')}" check metrics < "${file}"`], {
        stdio: 'pipe',
      }),
    ).not.toThrow()
  })

  it('the Collector’s pipelines are made of what it configures, leave windows whole, and send where Weir listens', () => {
    const collector = parse(text('otel-collector/collector.yaml'))
    for (const { receivers, processors, exporters } of Object.values<Record<string, string[]>>(
      collector.service.pipelines,
    )) {
      for (const name of receivers ?? []) expect(collector.receivers).toHaveProperty([name])
      for (const name of processors ?? []) expect(collector.processors).toHaveProperty([name])
      for (const name of exporters ?? []) expect(collector.exporters).toHaveProperty([name])
    }
    expect(Object.keys(collector.service.pipelines)).toEqual(['metrics', 'traces'])
    expect(collector.processors.batch).not.toHaveProperty('send_batch_max_size')
    const weir = collector.exporters['otlphttp/weir']
    expect(weir).toMatchObject({ compression: 'gzip', encoding: 'proto', retry_on_failure: { enabled: true } })
    expect(weir.headers.authorization).toMatch(/^Bearer \$\{env:WEIR_INGEST_KEY\}$/)
    // The exporter appends these by itself.
    expect([AGENT_PATHS.metrics, AGENT_PATHS.traces]).toEqual(['/v1/metrics', '/v1/traces'])
    expect(existsSync(infra('README.md'))).toBe(true)
  })
})
