import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common'
import { agentMessageSchema, type Grants, INSTANCE_HEADER } from '@weir/wire'
import type { FastifyRequest } from 'fastify'
import { Callers } from '../features/access/caller.ts'
import { AgentAccess } from '../features/agents/agent-access.ts'
import { AgentHub } from '../features/agents/agent-hub.ts'
import { refused } from '../features/result.ts'
import { instanceOf } from './agent-instance.ts'
import { orProblem } from './problem.ts'
import { Public } from './requires.ts'

/** An answer that takes longer is not waited for: the agent asks again. */
const ANSWER_WITHIN_MS = 5_000

/** Leases for an agent without a socket: the question that it would send, and the answer. Checks the agent's key itself. */
@Controller('api/v1/agent')
@Public()
export class AgentLeasesController {
  constructor(
    private readonly hub: AgentHub,
    private readonly access: AgentAccess,
    private readonly callers: Callers,
  ) {}

  @Post('leases')
  @HttpCode(200)
  async leases(@Req() request: FastifyRequest, @Body() body: unknown): Promise<Grants> {
    const asking = this.callers.asking(request.raw)
    const key = orProblem(await this.access.check(asking))
    const instance = instanceOf(asking.headers)
    if (instance === null) return orProblem(refused('invalid', `Say in ${INSTANCE_HEADER} which instance asks.`))
    const read = agentMessageSchema.safeParse(body)
    if (!read.success || read.data.type !== 'ask')
      return orProblem(refused('invalid', 'This is no question for leases.'))
    const granted = await within(this.hub.asked(key, instance, asking.ip, read.data), ANSWER_WITHIN_MS)
    if (granted === null) return orProblem(refused('unavailable', 'There is no answer at present.'))
    return { type: 'grants', n: read.data.n, granted }
  }
}

const within = async <T>(work: Promise<T | null>, ms: number): Promise<T | null> => {
  const timer = Promise.withResolvers<null>()
  const bound = setTimeout(timer.resolve, ms, null)
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(bound)
  }
}
