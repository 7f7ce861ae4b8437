import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../apps/control-plane/src/config/config.ts'

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

  it('compose sets what the control plane reads and builds this image', () => {
    const compose = parse(text('infra/compose.yaml')) as Compose
    const service = compose.services['control-plane']
    for (const name of Object.keys(service?.environment ?? {})) expect(known(name), name).toBe(true)
    expect(existsSync(new URL(`infra/${service?.build?.context}/${service?.build?.dockerfile}`, root))).toBe(true)
  })
})
