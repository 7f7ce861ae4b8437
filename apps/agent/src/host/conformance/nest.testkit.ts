import 'reflect-metadata'
import type { AddressInfo } from 'node:net'
import {
  Body,
  Controller,
  type DynamicModule,
  Get,
  Header,
  Headers,
  type INestApplication,
  Inject,
  Module,
  Post,
  StreamableFile,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { Gate } from '../../admission/gate.ts'
import type { RequestWeir } from '../inbound/options.ts'
import { WeirExempt, WeirModule, WeirPermit } from '../nest.ts'
import { type HostKind, type Options, type Served, weirOf } from './host.testkit.ts'
import type { Script } from './script.testkit.ts'

const SCRIPT = Symbol('script')
const GATE = Symbol('gate')

@Controller()
class TestController {
  readonly #script: Script
  readonly #gate: Gate

  constructor(@Inject(SCRIPT) script: Script, @Inject(GATE) gate: Gate) {
    this.#script = script
    this.#gate = gate
  }

  @Get('work')
  work() {
    return this.#script.toil()
  }

  @Get('quiet')
  async quiet() {
    await this.#script.toil()
  }

  @Post('echo')
  echo(@Body() body: unknown, @WeirPermit() weir: RequestWeir | null) {
    return this.#script.echo(body, weir)
  }

  @Get('throws')
  throws() {
    return this.#script.throws()
  }

  @Get('stream')
  @Header('content-type', 'text/plain')
  stream() {
    return new StreamableFile(this.#script.stream(this.#script.words()))
  }

  @Get('cut')
  @Header('content-type', 'text/plain')
  cut() {
    return new StreamableFile(this.#script.stream(this.#script.cutWords()))
  }

  @WeirExempt()
  @Get('healthz')
  health(@Headers('slow') slow: string | undefined) {
    return this.#script.health(slow !== undefined)
  }

  @Get('files/:name')
  file() {
    return 'file'
  }

  @Get('nested')
  nested() {
    return this.#script.nested(this.#gate)
  }

  @Get('retried')
  retried() {
    return this.#script.retried()
  }
}

@Module({})
class TestModule {}

const moduleOf = (gate: Gate, options: Options, script: Script): DynamicModule => ({
  module: TestModule,
  imports: [WeirModule.forRoot({ ...options, weir: weirOf(gate) })],
  controllers: [TestController],
  providers: [
    { provide: SCRIPT, useValue: script },
    { provide: GATE, useValue: gate },
  ],
})

const listening = async (app: INestApplication): Promise<Served> => {
  await app.listen(0, '127.0.0.1')
  return { port: (app.getHttpServer().address() as AddressInfo).port, stop: () => app.close() }
}

export const nestOnFastify: HostKind = {
  name: 'NestJS on Fastify',
  transport: 'http',
  serve: async (gate, options, script) =>
    listening(
      await NestFactory.create(moduleOf(gate, options, script), new FastifyAdapter({ forceCloseConnections: true }), {
        logger: false,
      }),
    ),
}

export const nestOnExpress: HostKind = {
  name: 'NestJS on Express',
  transport: 'http',
  serve: async (gate, options, script) =>
    listening(
      await NestFactory.create(moduleOf(gate, options, script), new ExpressAdapter(), {
        logger: false,
        forceCloseConnections: true,
      }),
    ),
}
