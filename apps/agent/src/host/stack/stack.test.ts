import { createServer, type Server } from 'node:http'
import { seededRandom } from '@weir/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '../gate-rig.testkit.ts'
import { listening, naiveLayer, Stack, type StackOptions } from './stack.testkit.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const ends: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
const stacked = async (bottom: Parameters<typeof Stack.start>[0], options?: StackOptions) => {
  const stack = await Stack.start(bottom, options)
  ends.push(() => stack.stop())
  return stack
}

/** So many requests of users, ten at a time; how many were answered well. */
const users = async (url: string, requests: number): Promise<number> => {
  let sent = 0
  let well = 0
  const user = async (): Promise<void> => {
    if (sent++ >= requests) return
    const answer = await fetch(url)
    await answer.text()
    if (answer.ok) well++
    await user()
  }
  await Promise.all(Array.from({ length: 10 }, user))
  return well
}

describe('three services on top of each other, each of which may try three times', () => {
  it('27 attempts reach a bottom that refuses everything where there is no contract', async () => {
    let attempts = 0
    const servers: Server[] = []
    ends.push(() => {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    })
    const serve = (server: Server) => {
      servers.push(server)
      return listening(server)
    }
    let url = await serve(
      createServer((_request, response) => {
        attempts++
        response.writeHead(503).end()
      }),
    )
    for (let i = 0; i < 3; i++) url = await serve(naiveLayer(url))
    await users(url, 20)
    expect(attempts / 20).toBe(27)
  })

  it.each([
    { says: 'plain 500', status: 500, headers: {}, trust: true },
    { says: 'plain 503', status: 503, headers: {}, trust: true },
    { says: 'a typed refusal', status: 503, headers: { 'weir-signal': 'later' }, trust: true },
    { says: 'plain 500 and layers hide that they retried', status: 500, headers: {}, trust: false },
  ])('B-74a B-74b with it at most 1.1 do: it says $says', async ({ status, headers, trust }) => {
    let attempts = 0
    const stack = await stacked(
      (_request, response) => {
        attempts++
        response.writeHead(status, headers).end()
      },
      { trust },
    )
    expect(await users(stack.url, 300)).toBe(0)
    expect(attempts / 300).toBeGreaterThanOrEqual(1)
    expect(attempts / 300).toBeLessThanOrEqual(1.1)
  })

  it('a share of 10 % stays one share, whatever stands above', async () => {
    let attempts = 0
    const budget = { kind: 'ratio', share: 0.1, floorPerSecond: 0, windowMs: 60_000 }
    const stack = await stacked(
      (_request, response) => {
        attempts++
        response.writeHead(500).end()
      },
      { policy: { budget } },
    )
    await users(stack.url, 400)
    expect(attempts / 400).toBeLessThanOrEqual(1.1)
  })

  it('of five per cent that fail in passing more than nine tenths recover', async () => {
    const random = seededRandom(11)
    let failed = 0
    const stack = await stacked((_request, response) => {
      const fails = random() < 0.05
      if (fails) failed++
      response.writeHead(fails ? 500 : 200).end()
    })
    const well = await users(stack.url, 600)
    expect(failed).toBeGreaterThan(15)
    expect(600 - well).toBeLessThanOrEqual(failed * 0.1)
  })

  it('B-82a of 300 ms the bottom hears what is left, and nobody goes on once they are over', async () => {
    const heard: number[] = []
    let left = 0
    const stack = await stacked(
      (request, response) => {
        heard.push(Number(request.headers['weir-deadline-ms']))
        response.on('close', () => left++)
      },
      { workMs: 40 },
    )
    const answer = await fetch(stack.url, { headers: { 'weir-deadline-ms': '300' } })
    await answer.text()
    expect(answer.ok).toBe(false)
    expect(heard).toHaveLength(1)
    expect(heard[0]).toBeGreaterThan(0)
    expect(heard[0]).toBeLessThanOrEqual(300 - 3 * 40 + 2)
    await until(() => left === 1 && stack.inFlight === 0)
  })
})
