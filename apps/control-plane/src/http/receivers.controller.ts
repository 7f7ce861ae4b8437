import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common'
import {
  type CreatedReceiver,
  createdReceiverSchema,
  nameSchema,
  type Receiver,
  receiverInputSchema,
  receiverSchema,
  type TestedReceiver,
  testedReceiverSchema,
} from '@weir/api'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import type { Expected } from '../features/expected.ts'
import { type ReceiverEdit, ReceiverStore, Receivers, receiverTag } from '../features/notifications/receivers.ts'
import { Answers } from './answer.ts'
import { Precondition } from './preconditions.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const ID = { schema: z.uuid() }
const listSchema = z.object({ items: z.array(receiverSchema) })

const tagged = <R extends Receiver>(reply: FastifyReply, receiver: R): R => {
  reply.header('etag', receiverTag(receiver.version))
  return receiver
}

@Controller('api/v1/environments/:environment/receivers')
export class ReceiversController {
  constructor(
    private readonly store: ReceiverStore,
    private readonly receivers: Receivers,
  ) {}

  @Get()
  @Requires('viewer')
  @Answers('Lists who is told of alerts, and how that went; never a secret', listSchema)
  async list(@Param('environment', NAME) environment: string): Promise<{ items: Receiver[] }> {
    return { items: [...orProblem(await this.store.list(environment))] }
  }

  @Get(':id')
  @Requires('viewer')
  @Answers('One receiver', receiverSchema, { etag: true })
  async get(
    @Param('environment', NAME) environment: string,
    @Param('id', ID) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Receiver> {
    return tagged(reply, orProblem(await this.store.get(environment, id)))
  }

  @Post()
  @Requires('admin')
  @Answers('Makes a receiver; a secret that was made for it is in this answer only', createdReceiverSchema, {
    etag: true,
  })
  async create(
    @Param('environment', NAME) environment: string,
    @Body({ schema: receiverInputSchema }) edit: ReceiverEdit,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedReceiver> {
    return tagged(reply, orProblem(await this.receivers.create(environment, edit, actor.name)))
  }

  @Put(':id')
  @HttpCode(200)
  @Requires('admin')
  @Answers('Changes a receiver; a secret that is left out stays', receiverSchema, { etag: true })
  async put(
    @Param('environment', NAME) environment: string,
    @Param('id', ID) id: string,
    @Precondition() expected: Expected,
    @Body({ schema: receiverInputSchema }) edit: ReceiverEdit,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Receiver> {
    return tagged(reply, orProblem(await this.receivers.put(environment, id, edit, expected, actor.name)))
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires('admin')
  @Answers('Removes a receiver, with what it was to be told', null)
  async remove(
    @Param('environment', NAME) environment: string,
    @Param('id', ID) id: string,
    @Actor() actor: Principal,
  ): Promise<void> {
    orProblem(await this.store.remove(environment, id, actor.name))
  }

  @Post(':id/test')
  @HttpCode(200)
  @Requires('admin')
  @Answers('Sends a test message now and says how it went', testedReceiverSchema)
  async test(
    @Param('environment', NAME) environment: string,
    @Param('id', ID) id: string,
    @Actor() actor: Principal,
  ): Promise<TestedReceiver> {
    return orProblem(await this.receivers.test(environment, id, actor.name))
  }
}
