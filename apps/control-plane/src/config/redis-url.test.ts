import { describe, expect, it } from 'vitest'
import { readConfig, StartRefused } from './config.ts'
import { redisTarget } from './redis-url.ts'

const SINGLE = {
  kind: 'single',
  tls: false,
  hosts: [{ host: 'cache', port: 6_379 }],
  username: null,
  password: null,
  db: 0,
  name: '',
  sentinelPassword: null,
}

describe('REDIS_URL', () => {
  it('is one server, with TLS, a user and a database where they are given', () => {
    expect(redisTarget('redis://cache')).toEqual(SINGLE)
    expect(redisTarget('rediss://weir:s%40cret@cache:6380/3')).toEqual({
      ...SINGLE,
      tls: true,
      hosts: [{ host: 'cache', port: 6_380 }],
      username: 'weir',
      password: 's@cret',
      db: 3,
    })
    expect(redisTarget('redis://:secret@[::1]:7000')).toMatchObject({
      hosts: [{ host: '::1', port: 7_000 }],
      username: null,
      password: 'secret',
    })
  })

  it('is the sentinels and the name of their master', () => {
    expect(redisTarget('rediss+sentinel://:p@a,b:26380,c/weir/2?sentinelPassword=q%2F')).toEqual({
      kind: 'sentinel',
      tls: true,
      hosts: [
        { host: 'a', port: 26_379 },
        { host: 'b', port: 26_380 },
        { host: 'c', port: 26_379 },
      ],
      username: null,
      password: 'p',
      db: 2,
      name: 'weir',
      sentinelPassword: 'q/',
    })
  })

  it('is some nodes of a cluster', () => {
    expect(redisTarget('redis+cluster://a:7000,b:7001')).toMatchObject({
      kind: 'cluster',
      hosts: [
        { host: 'a', port: 7_000 },
        { host: 'b', port: 7_001 },
      ],
    })
  })

  it.each([
    ['http://cache', /^Write redis:/],
    ['redis://', /^Write redis:/],
    ['redis://a,b', /Several hosts/],
    ['redis+sentinel://a,b', /Name the master/],
    ['redis+cluster://a/1', /no numbered databases/],
    ['redis://cache/one', /no number of a database/],
    ['redis://cache:0', /no port/],
    ['redis://cache:99999', /no port/],
    ['redis://ca che', /no host/],
    ['redis://cache?db=1', /\?db= is not known/],
    ['redis://%zz@cache', /percent-encoded/],
  ])('%s is refused with a sentence', (url, sentence) => {
    expect(() => redisTarget(url)).toThrow(sentence)
  })

  it('is read as a setting, and refused by its name without its password', () => {
    expect(readConfig({ REDIS_URL: 'redis://cache' }, '/srv').redis).toEqual(SINGLE)
    expect(readConfig({}, '/srv').redis).toBeNull()
    const read = () => readConfig({ REDIS_URL: 'redis://:hidden@cache/x' }, '/srv')
    expect(read).toThrow(StartRefused)
    expect(read).toThrow(/^REDIS_URL: \/x is no number/)
    expect(read).not.toThrow(/hidden/)
  })
})
