import 'reflect-metadata'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, Get, type INestApplication, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import express from 'express'
import Fastify from 'fastify'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { currentContext } from '../core/context.ts'
import { weirExpress } from './express.ts'
import { weirFastify } from './fastify.ts'
import { GateRig } from './gate-rig.testkit.ts'
import { WeirExempt, WeirGate, WeirModule } from './nest.ts'

// Real sockets on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 })

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** Tells which gates were asked for, each as often as it was. */
const spying = () => {
  const rig = new GateRig({})
  ends.push(() => rig.gate.close())
  const asked: string[] = []
  const gate = (name: string) => {
    asked.push(name)
    return rig.gate
  }
  return { asked, weir: { gate } }
}

const get = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
const portOf = (server: Server) => (server.address() as AddressInfo).port

@WeirGate('of-the-class')
@Controller()
class RoutesController {
  @Get('plain')
  plain() {
    return 'plain'
  }

  @WeirGate('of-the-method')
  @Get('own/:id')
  own() {
    return 'own'
  }

  @Get('context')
  context() {
    return currentContext()?.tenant
  }

  @WeirExempt()
  @Get('probe/:depth')
  probe() {
    return 'well'
  }
}

@Controller('unsaid')
class UnsaidController {
  @Get()
  unsaid() {
    return 'unsaid'
  }
}

@Module({ controllers: [RoutesController, UnsaidController] })
class RoutesModule {}

type Middleware = (request: unknown, response: unknown, next: () => void) => void

const platforms = { Fastify: () => new FastifyAdapter(), Express: () => new ExpressAdapter() }

describe.each(Object.entries(platforms))('routes of NestJS on %s', (_platform, adapter) => {
  const start = async (
    weir: ReturnType<typeof spying>['weir'],
    prefix = '',
    middleware?: Middleware,
  ): Promise<number> => {
    const imports = [
      WeirModule.forRootAsync({ useFactory: async () => ({ weir, gate: 'otherwise', tenant: () => 'acme' }) }),
    ]
    const app: INestApplication = await NestFactory.create({ module: RoutesModule, imports }, adapter(), {
      logger: false,
    })
    if (middleware) app.use(middleware)
    if (prefix) app.setGlobalPrefix(prefix)
    ends.push(() => app.close())
    await app.listen(0, '127.0.0.1')
    return portOf(app.getHttpServer())
  }

  it('name their gate by method, by class, or not at all, and pass it by where they are exempt', async () => {
    const { asked, weir } = spying()
    const port = await start(weir)
    expect(await get(port, '/plain')).toBe('plain')
    expect(await get(port, '/own/7')).toBe('own')
    expect(await get(port, '/probe/deep')).toBe('well')
    expect(await get(port, '/unsaid')).toBe('unsaid')
    expect(asked).toEqual(['of-the-class', 'of-the-method', 'otherwise'])
  })

  it('work in their own context, also behind middleware that loses it', async () => {
    const { weir } = spying()
    const waiting: (() => void)[] = []
    const resume = setInterval(() => waiting.splice(0).forEach((next) => void next()), 1)
    ends.push(() => clearInterval(resume))
    const port = await start(weir, '', (_request, _response, next) => waiting.push(next))
    expect(await get(port, '/context')).toBe('acme')
  })

  it('do so below a prefix too', async () => {
    const { asked, weir } = spying()
    const port = await start(weir, 'api')
    expect(await get(port, '/api/own/7')).toBe('own')
    expect(await get(port, '/api/probe/deep')).toBe('well')
    expect(asked).toEqual(['of-the-method'])
  })
})

describe('routes of Fastify', () => {
  it('name their gate, and that they are exempt, in their own config', async () => {
    const { asked, weir } = spying()
    const app = Fastify()
    ends.push(() => app.close())
    await app.register(weirFastify(weir))
    app.get('/reports', { config: { weir: { gate: 'reports' } } }, async () => 'report')
    app.get('/probe', { config: { weir: { exempt: true } } }, async () => 'well')
    await app.listen({ port: 0, host: '127.0.0.1' })
    expect(await get(portOf(app.server), '/reports')).toBe('report')
    expect(await get(portOf(app.server), '/probe')).toBe('well')
    expect(asked).toEqual(['reports'])
  })
})

describe('routes of Express', () => {
  const listening = async (app: express.Express): Promise<number> => {
    const server = createServer(app)
    ends.push(() => server.close())
    ends.push(() => server.closeAllConnections())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return portOf(server)
  }

  it('B-85 are exempt where Express itself would route to them, also when they were declared later', async () => {
    const { asked, weir } = spying()
    const app = express().use(weirExpress(weir, { exempt: ['/probe/:depth'] }))
    app.get('/probe/shadow', (_request, response) => {
      response.send('shadow')
    })
    const port = await listening(app)
    await get(port, '/probe/deep')
    app.get('/probe/:depth', (_request, response) => {
      response.send('well')
    })
    expect(asked).toEqual(['http'])
    expect(await get(port, '/probe/deep')).toBe('well')
    expect(await get(port, '/PROBE/deep/')).toBe('well')
    expect(asked).toEqual(['http'])
    expect(await get(port, '/probe/shadow')).toBe('shadow')
    expect(await get(port, '/other/probe/deep')).toContain('Cannot GET')
    expect(asked).toEqual(['http', 'http', 'http'])
  })
})
