import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../apps/control-plane/src/config/config.ts'
import { ensure, HAPROXY, pathOf } from '../tools/system-packages.ts'

const root = new URL('..', import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const dockerfile = text('infra/Dockerfile')
const settings = text('apps/control-plane/src/config/config.ts')
const known = (name: string): boolean => new RegExp(`^ {2}${name}: `, 'm').test(settings)

interface Compose {
  services: Record<string, { environment?: Record<string, string>; build?: { context: string; dockerfile: string } }>
}

describe('infra', () => {
  it('the image copies what exists and runs scripts that exist', () => {
    const scripts = (JSON.parse(text('package.json')) as { scripts: Record<string, string> }).scripts
    for (const [, path] of dockerfile.matchAll(/^COPY --from=build \/weir\/(\S+)/gm))
      expect(path === 'node_modules' || existsSync(new URL(path as string, root)), path).toBe(true)
    for (const [, script] of dockerfile.matchAll(/npm run (\S+)/g)) expect(scripts).toHaveProperty(script as string)
    expect(existsSync(new URL('apps/control-plane/src/main.ts', root))).toBe(true)
    expect(dockerfile).toContain('apps/control-plane/dist/main.js')
  })

  it('the image sets what the control plane reads, and starts once a proxy is named', () => {
    const env = Object.fromEntries(
      (/^ENV (.+)$/m.exec(dockerfile)?.[1] ?? '').split(' ').map((pair) => pair.split('=') as [string, string]),
    )
    for (const name of Object.keys(env).filter((one) => one !== 'NODE_ENV')) expect(known(name), name).toBe(true)
    expect(() => readConfig(env, '/')).toThrow(/TRUSTED_PROXIES/)
    expect(readConfig({ ...env, TRUSTED_PROXIES: '10.0.0.1' }, '/')).toMatchObject({
      host: '0.0.0.0',
      dataFolder: '/var/lib/weir',
    })
  })

  const compose = parse(text('infra/compose.yaml'), { merge: true }) as Compose
  const replicas = Object.entries(compose.services).filter(([, { build }]) => build !== undefined)

  it('compose sets what the control plane reads and builds this image', () => {
    expect(replicas.length).toBe(3)
    for (const [, { environment = {}, build }] of replicas) {
      for (const name of Object.keys(environment)) expect(known(name), name).toBe(true)
      expect(existsSync(new URL(`infra/${build?.context}/${build?.dockerfile}`, root))).toBe(true)
      const given = Object.entries(environment).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{\w+(:\?[^}]*)?\}/g, 'x'),
      ])
      const { PUBLIC_URL: _, ...settings } = Object.fromEntries(given) as Record<string, string>
      expect(readConfig({ ...settings, HOST: '0.0.0.0' }, '/').redis).toMatchObject({ hosts: [{ host: 'redis' }] })
    }
  })

  it('the balancer knows every replica by what it is set, and HAProxy takes its settings', () => {
    const { environment = {} } = compose.services.balancer ?? {}
    const settings = text('infra/haproxy.cfg')
    for (const [, name] of settings.matchAll(/"\$\{(\w+)\}"/g)) expect(environment, name).toHaveProperty(name as string)
    const servers = Object.keys(environment).filter((name) => name.startsWith('REPLICA_'))
    expect(servers.map((name) => environment[name])).toEqual(replicas.map(([name]) => `${name}:7400`))
    ensure(HAPROXY)
    const local = Object.fromEntries(servers.map((name, i) => [name, `127.0.0.1:${i + 1}`]))
    const file = new URL('infra/haproxy.cfg', root).pathname
    const env = { ...local, BALANCER: '127.0.0.1:7400' }
    expect(() => execFileSync(pathOf(HAPROXY) as string, ['-c', '-f', file], { env, stdio: 'pipe' })).not.toThrow()
  })
})
