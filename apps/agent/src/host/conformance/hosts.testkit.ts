import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { text } from 'node:stream/consumers'
import {
  Server as GrpcServer,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js'
import express from 'express'
import Fastify from 'fastify'
import { watched, weirExpress } from '../express.ts'
import { weirFastify } from '../fastify.ts'
import { requestWeir, watched as watchedCall, weirGrpc } from '../grpc.ts'
import { weirHttp } from '../http.ts'
import { SERVICE } from './grpc-service.testkit.ts'
import { type HostKind, PATHS, type Served, weirOf } from './host.testkit.ts'
import { nestOnExpress, nestOnFastify } from './nest.testkit.ts'

const served = (server: HttpServer): Promise<Served> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        stop: async () => {
          server.closeAllConnections()
          server.close()
        },
      }),
    )
  })

const fastify: HostKind = {
  name: 'Fastify',
  transport: 'http',
  async serve(gate, options, script) {
    const app = Fastify({ forceCloseConnections: true })
    await app.register(weirFastify(weirOf(gate), { ...options, exempt: [PATHS.health] }))
    app.get(PATHS.work, () => script.toil())
    app.get(PATHS.quiet, async () => {
      await script.toil()
    })
    app.post(PATHS.echo, (request) => script.echo(request.body, request.weir))
    app.get(PATHS.throws, async () => script.throws())
    app.get(PATHS.stream, (_request, reply) => reply.send(script.stream(script.words())))
    app.get(PATHS.cut, (_request, reply) => reply.send(script.stream(script.cutWords())))
    app.get(PATHS.health, (request) => script.health('slow' in request.headers))
    app.get('/files/*', async () => 'file')
    app.get(PATHS.nested, () => script.nested(gate))
    app.get(PATHS.retried, async () => script.retried())
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { port: (app.server.address() as AddressInfo).port, stop: () => app.close() }
  },
}

const expressHost: HostKind = {
  name: 'Express',
  transport: 'http',
  serve(gate, options, script) {
    const app = express().set('env', 'test')
    app.use(weirExpress(weirOf(gate), { ...options, exempt: [PATHS.health] }))
    app.use(express.json())
    app.get(PATHS.work, async (_request, response) => {
      response.send(await script.toil())
    })
    app.get(
      PATHS.quiet,
      watched(async () => {
        await script.toil()
      }),
    )
    app.post(PATHS.echo, async (request, response) => {
      response.json(await script.echo(request.body, request.weir))
    })
    app.get(PATHS.throws, () => script.throws())
    app.get(PATHS.stream, (_request, response) => {
      pipeline(script.stream(script.words()), response, () => undefined)
    })
    app.get(PATHS.cut, (_request, response) => {
      pipeline(script.stream(script.cutWords()), response, () => undefined)
    })
    app.get(PATHS.health, async (request, response) => {
      response.send(await script.health('slow' in request.headers))
    })
    app.get('/files/*path', (_request, response) => {
      response.send('file')
    })
    app.get(PATHS.nested, async (_request, response) => {
      response.send(await script.nested(gate))
    })
    app.get(PATHS.retried, (_request, response) => {
      response.send(script.retried())
    })
    return served(createServer(app))
  },
}

const http: HostKind = {
  name: 'node:http',
  transport: 'http',
  serve(gate, options, script) {
    const listener = weirHttp(weirOf(gate), { ...options, exempt: [PATHS.health] }, async (request, response, weir) => {
      switch (request.url?.split('?')[0]) {
        case PATHS.work:
          return response.end(await script.toil())
        case PATHS.quiet:
          return script.toil().then(() => undefined)
        case PATHS.echo: {
          const body = await text(request)
          try {
            return response.end(JSON.stringify(await script.echo(JSON.parse(body), weir)))
          } catch {
            return response.writeHead(400).end()
          }
        }
        case PATHS.throws:
          try {
            return script.throws()
          } catch {
            return response.writeHead(500).end()
          }
        case PATHS.stream:
          return void pipeline(script.stream(script.words()), response, () => undefined)
        case PATHS.cut:
          return void pipeline(script.stream(script.cutWords()), response, () => undefined)
        case PATHS.health:
          return response.end(await script.health('slow' in request.headers))
        case PATHS.nested:
          return response.end(await script.nested(gate))
        case PATHS.retried:
          return response.end(script.retried())
        default:
          return response.writeHead(404).end()
      }
    })
    return served(createServer(listener))
  },
}

type Unary = ServerUnaryCall<unknown, unknown>
type Respond = sendUnaryData<unknown>
type Stream = ServerWritableStream<unknown, unknown>

const grpc: HostKind = {
  name: 'gRPC',
  transport: 'grpc',
  async serve(gate, options, script) {
    const server = new GrpcServer({ interceptors: [weirGrpc(weirOf(gate), options)] })
    const send = async (call: Stream, words: AsyncGenerator<string>) => {
      try {
        for await (const word of words) call.write(word)
        call.end()
      } catch (error) {
        call.emit('error', error)
      }
    }
    const answer = (make: (call: Unary) => Promise<unknown>) => (call: Unary, respond: Respond) =>
      void make(call).then((value) => respond(null, value))
    server.addService(SERVICE, {
      work: answer(() => script.toil()),
      quiet: watchedCall(() => script.toil().then(() => undefined)),
      echo: answer(({ request }) => script.echo(request, requestWeir())),
      throws: () => script.throws(),
      stream: (call: Stream) => void send(call, script.words()),
      cut: (call: Stream) => void send(call, script.cutWords()),
      health: answer(({ metadata }) => script.health(metadata.get('slow').length > 0)),
      nested: answer(() => script.nested(gate)),
      retried: answer(async () => script.retried()),
    })
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      )
    })
    return { port, stop: async () => server.forceShutdown() }
  },
}

export const HOSTS: readonly HostKind[] = [fastify, expressHost, http, nestOnFastify, nestOnExpress, grpc]
