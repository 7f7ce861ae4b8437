import { Controller, Get, Req, Res } from '@nestjs/common'
import { LEASE_HEADER, leaseToHeader, SCALES_HEADER, scalesToHeader } from '@weir/wire'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Callers } from '../features/access/caller.ts'
import { AgentAccess } from '../features/agents/agent-access.ts'
import { AgentHub } from '../features/agents/agent-hub.ts'
import { instanceOf } from './agent-instance.ts'
import { orProblem } from './problem.ts'
import { Public } from './requires.ts'

/** The fall-back of an agent without a socket. Checks the agent's key itself. */
@Controller('api/v1/agent')
@Public()
export class AgentPolicyController {
  constructor(
    private readonly hub: AgentHub,
    private readonly access: AgentAccess,
    private readonly callers: Callers,
  ) {}

  /** 200 with the effective policy, 304 where If-None-Match names it, 204 before the first publish; each with the instance's share. */
  @Get('policy')
  async policy(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asking = this.callers.asking(request.raw)
    const key = orProblem(await this.access.check(asking))
    const { policy, split, scales } = await this.hub.polled(key, instanceOf(asking.headers), asking.ip)
    void reply.header('cache-control', 'no-store')
    if (split !== null) void reply.header(LEASE_HEADER, leaseToHeader(split))
    if (split !== null && scales !== null) void reply.header(SCALES_HEADER, scalesToHeader(scales))
    if (policy === null) return void reply.code(204).send()
    void reply.header('etag', policy.etag)
    if (matches(asking.headers['if-none-match'], policy.etag)) return void reply.code(304).send()
    void reply.header('content-type', 'application/json; charset=utf-8').send(policy.body)
  }
}

/** Weak comparison, as If-None-Match wants it. */
const matches = (header: string | undefined, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
