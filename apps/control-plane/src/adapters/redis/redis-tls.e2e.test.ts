import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TestRedis } from '../../../../agent/src/defer/redis.testkit.ts'
import { busesOver, linkTo } from './links.testkit.ts'
import { RedisClaims } from './redis-claims.ts'
import { Clustered, type Secured, Watched } from './servers.testkit.ts'

describe('a Redis that speaks TLS only', () => {
  const usual = getCACertificates('default')
  let folder: string
  let authority: string
  let secured: Secured
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-tls-'))
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    const names = ['-subj', '/CN=weir', '-addext', 'subjectAltName=IP:127.0.0.1']
    await promisify(execFile)('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate])
    authority = await readFile(certificate, 'utf8')
    secured = (port) => ({
      port: '0',
      'tls-port': String(port),
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-ca-cert-file': certificate,
      'tls-auth-clients': 'no',
    })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const trusted = () => {
    setDefaultCACertificates([...usual, authority])
    onTestFinished(() => setDefaultCACertificates(usual))
  }
  const serves = async (url: string) => {
    await busesOver(url)
    const store = new RedisClaims(linkTo(url, randomUUID()))
    await expect.poll(() => store.claim('a', null, [{ book: 'orders', owns: false }]).catch(() => null)).not.toBeNull()
  }

  it('alone', async () => {
    const redis = await TestRedis.start(secured)
    onTestFinished(() => redis.stop())
    const url = redis.url.replace('redis:', 'rediss:')
    const troubles: unknown[] = []
    linkTo(url, randomUUID(), (error) => troubles.push(error))
    await expect.poll(() => String(troubles[0])).toContain('self-signed certificate')
    trusted()
    await serves(url)
  })

  it('behind sentinels that do', async () => {
    trusted()
    const watched = await Watched.start(secured)
    onTestFinished(() => watched.stop())
    await serves(watched.url)
  })

  it('as a cluster', async () => {
    trusted()
    const cluster = await Clustered.start(secured)
    onTestFinished(() => cluster.stop())
    await serves(cluster.url)
  })
})
