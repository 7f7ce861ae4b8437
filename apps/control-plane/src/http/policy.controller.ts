import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common'
import {
  type Diff,
  type Draft,
  diffRequestSchema,
  diffSchema,
  documentSchema,
  draftSchema,
  nameSchema,
  type Page,
  type PageQuery,
  type PolicyState,
  type PolicyVersion,
  type Published,
  pageOf,
  pageQuerySchema,
  policyStateSchema,
  policyVersionSchema,
  publishedSchema,
  publishSchema,
  putDraftSchema,
  rollbackSchema,
  type Validation,
  validationSchema,
  versionSchema,
} from '@weir/api'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../features/access/identity.ts'
import type { Expected } from '../features/expected.ts'
import { Policies } from '../features/policies/policies.service.ts'
import { PolicyStore, policyTag, type StoredDraft } from '../features/policies/policy-store.ts'
import { Answers } from './answer.ts'
import { pageAnswer, pageRequest } from './cursor.ts'
import { Precondition } from './preconditions.ts'
import { orProblem } from './problem.ts'
import { Actor, Requires } from './requires.ts'

const NAME = { schema: nameSchema }
const versionKey = versionSchema.min(1)
const versionParam = z.coerce.number().pipe(versionKey)

const draftAnswer = (reply: FastifyReply, { etag, ...draft }: StoredDraft): Draft => {
  reply.header('etag', etag)
  return draft
}

/** ETag of the version that is in force after a write. */
const publishedAnswer = (reply: FastifyReply, published: Published): Published => {
  reply.header('etag', policyTag(published.version))
  return published
}

@Controller('api/v1/environments/:environment/services/:service/policy')
export class PolicyController {
  constructor(
    private readonly store: PolicyStore,
    private readonly policies: Policies,
  ) {}

  @Get()
  @Requires('viewer')
  @Answers('The policy in force; its ETag is what publish and roll-back want in If-Match', policyStateSchema, {
    etag: true,
  })
  async current(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PolicyState> {
    const { version, published } = orProblem(await this.store.current({ environment, service }))
    reply.header('etag', policyTag(version))
    return { version, published: published === null ? null : withoutPolicy(published) }
  }

  @Get('draft')
  @Requires('viewer')
  @Answers('The shared draft', draftSchema, { etag: true })
  async draft(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Draft> {
    return draftAnswer(reply, orProblem(await this.store.draft({ environment, service })))
  }

  @Put('draft')
  @Requires('editor')
  @Answers('Keeps the shared draft; it need not be valid', draftSchema, { etag: true })
  async putDraft(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Precondition() expected: Expected,
    @Body({ schema: putDraftSchema }) draft: z.output<typeof putDraftSchema>,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Draft> {
    const ref = { environment, service }
    return draftAnswer(reply, orProblem(await this.store.putDraft(ref, expected, { ...draft, author: actor.name })))
  }

  @Delete('draft')
  @HttpCode(204)
  @Requires('editor')
  @Answers('Drops the shared draft', null)
  async dropDraft(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Precondition() expected: Expected,
  ): Promise<void> {
    orProblem(await this.store.dropDraft({ environment, service }, expected))
  }

  @Post('validate')
  @HttpCode(200)
  @Requires('viewer')
  @Answers('All problems of a document', validationSchema)
  validate(
    @Param('environment', NAME) _environment: string,
    @Param('service', NAME) _service: string,
    @Body({ schema: documentSchema }) { document }: z.output<typeof documentSchema>,
  ): Validation {
    return this.policies.validate(document)
  }

  @Post('diff')
  @HttpCode(200)
  @Requires('viewer')
  @Answers('What publishing a document would change, in words', diffSchema)
  async diff(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Body({ schema: diffRequestSchema }) { against, ...text }: z.output<typeof diffRequestSchema>,
  ): Promise<Diff> {
    return orProblem(await this.policies.diff({ environment, service }, text, against))
  }

  @Post('publish')
  @HttpCode(200)
  @Requires('editor')
  @Answers('Publishes a document as the next version', publishedSchema, { etag: true })
  async publish(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Precondition() expected: Expected,
    @Body({ schema: publishSchema }) { reason, ...text }: z.output<typeof publishSchema>,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Published> {
    const write = { expected, reason, author: actor.name }
    return publishedAnswer(reply, orProblem(await this.policies.publish({ environment, service }, text, write)))
  }

  @Post('rollback')
  @HttpCode(200)
  @Requires('editor')
  @Answers('Publishes an earlier version again, as the next one', publishedSchema, { etag: true })
  async rollBack(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Precondition() expected: Expected,
    @Body({ schema: rollbackSchema }) { version, reason }: z.output<typeof rollbackSchema>,
    @Actor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Published> {
    const write = { expected, reason, author: actor.name }
    return publishedAnswer(reply, orProblem(await this.policies.rollBack({ environment, service }, version, write)))
  }

  @Get('versions')
  @Requires('viewer')
  @Answers('The history, the newest version first', pageOf(policyVersionSchema))
  async versions(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Query({ schema: pageQuerySchema }) query: PageQuery,
  ): Promise<Page<PolicyVersion>> {
    const rows = orProblem(await this.store.versions({ environment, service }, pageRequest(query, versionKey)))
    return pageAnswer(rows, ({ version }) => version)
  }

  @Get('versions/:version')
  @Requires('viewer')
  @Answers('One version', policyVersionSchema)
  async version(
    @Param('environment', NAME) environment: string,
    @Param('service', NAME) service: string,
    @Param('version', { schema: versionParam }) version: number,
  ): Promise<PolicyVersion> {
    return withoutPolicy(orProblem(await this.store.version({ environment, service }, version)))
  }
}

const withoutPolicy = <T extends { policy: unknown }>({ policy: _, ...version }: T) => version
