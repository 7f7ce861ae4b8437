import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { busContract } from '../../features/bus-contract.testkit.ts'
import { claimsContract } from '../../features/leases/claims-contract.testkit.ts'
import { busesOver, claimsOver, hears, linkTo } from './links.testkit.ts'
import { RedisClaims } from './redis-claims.ts'
import { Clustered } from './servers.testkit.ts'

const SOON = { interval: 50 }

describe('claims and bus over a cluster of three', () => {
  let cluster: Clustered
  beforeAll(async () => {
    cluster = await Clustered.start()
  })
  afterAll(() => cluster.stop())

  claimsContract(() => claimsOver(cluster.url, () => cluster.empty()))
  busContract(() => busesOver(cluster.url))

  it('all that one installation claims is with one node; when that or another is killed and comes back, all is as before', async () => {
    await cluster.empty()
    const { near, far } = await busesOver(cluster.url)
    const link = linkTo(cluster.url, randomUUID())
    const store = new RedisClaims(link)
    const books = Array.from({ length: 20 }, (_, i) => ({ book: `book ${i}`, owns: false }))
    const claimed = () => store.claim('a', null, books).catch(() => null)
    await expect.poll(claimed, SOON).not.toBeNull()
    const home = await cluster.nodeOf(link.named('claims'))
    const other = cluster.nodes.find((node) => node !== home)
    for (const node of [home, other]) {
      await node?.kill()
      if (node === home) await expect(store.claim('a', null, books)).rejects.toThrow()
      await node?.up()
      await cluster.isWhole()
      await hears(near, far)
      await hears(far, near)
      await expect.poll(claimed, SOON).not.toBeNull()
    }
    const sizes = await Promise.all(cluster.nodes.map((node) => node.ask((client) => client.dbsize())))
    expect(sizes.filter((size) => size > 0)).toHaveLength(1)
  })
})
