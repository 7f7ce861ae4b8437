import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common'
import { API, type SignInLink, signInLinkSchema } from '@weir/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Callers } from '../features/access/caller.ts'
import { SignIn } from '../features/access/sign-in.ts'
import { Answers } from './answer.ts'
import { Public } from './requires.ts'
import { answerSession } from './session-answer.ts'

@Controller(`${API}/sign-in-link`)
@Public()
export class SignInLinkController {
  constructor(
    private readonly door: SignIn,
    private readonly callers: Callers,
  ) {}

  @Post()
  @Answers('Signs an operator in with a one-time sign-in link’s token: sets the session’s cookie', null)
  @HttpCode(204)
  async signIn(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: signInLinkSchema }) body: SignInLink,
  ): Promise<void> {
    answerSession(reply, await this.door.signInByLink(this.callers.asking(request.raw), body.token))
  }
}
