import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Callers } from '../features/access/caller.ts'
import type { Principal } from '../features/access/identity.ts'
import { SignIn } from '../features/access/sign-in.ts'
import { Answers } from './answer.ts'
import { Actor, Public, Requires } from './requires.ts'
import { answerSession } from './session-answer.ts'

const MAX_PASSWORD = 128
const password = z.string().min(1).max(MAX_PASSWORD)

const signInSchema = z.strictObject({
  email: z.string().min(1).max(254),
  password,
  rememberMe: z.boolean().default(true),
})

const changePasswordSchema = z.strictObject({
  currentPassword: password,
  newPassword: z.string().min(12, 'A password has at least 12 characters.').max(MAX_PASSWORD),
})

/** The only doors to better-auth: what else it has is not reachable. Answers carry cookies, never a session's token. */
@Controller('api/auth')
@Public()
export class AccessSessionController {
  constructor(
    private readonly door: SignIn,
    private readonly callers: Callers,
  ) {}

  @Post('sign-in/email')
  @Answers('Signs an operator in: sets the session’s cookie', null)
  @HttpCode(204)
  async signIn(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: signInSchema }) body: z.output<typeof signInSchema>,
  ): Promise<void> {
    answerSession(reply, await this.door.signIn(this.callers.asking(request.raw), body))
  }

  @Post('sign-out')
  @Answers('Ends the session', null)
  @HttpCode(204)
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    answerSession(reply, await this.door.signOut(this.callers.asking(request.raw)))
  }

  @Post('change-password')
  @Answers('Changes one’s own password and ends one’s other sessions', null)
  @Requires('viewer')
  @HttpCode(204)
  async changePassword(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Actor() actor: Principal,
    @Body({ schema: changePasswordSchema }) body: z.output<typeof changePasswordSchema>,
  ): Promise<void> {
    const asking = this.callers.asking(request.raw)
    answerSession(reply, await this.door.changePassword(asking, actor, body.currentPassword, body.newPassword))
  }
}
