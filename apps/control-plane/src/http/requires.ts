import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import type { Role } from '@weir/api'
import type { FastifyRequest } from 'fastify'
import { Callers } from '../features/access/caller.ts'
import { Identity, mayAct, type Principal } from '../features/access/identity.ts'
import { RefusalLog } from '../features/audit/refusal-log.ts'
import { ProblemError } from './problem.ts'

export const REQUIRES = 'weir:requires'

/** The least role that may call a route. Every route says this or `@Public()`; one that says neither is closed. */
export const Requires = (role: Role) => SetMetadata(REQUIRES, role)

/** A route for everybody, or one that checks a key of its own. */
export const Public = () => SetMetadata(REQUIRES, 'public')

const principals = new WeakMap<object, Principal>()

/** Who asks; only on routes with `@Requires`. */
export const Actor = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const principal = principals.get(context.switchToHttp().getRequest<FastifyRequest>())
  if (principal === undefined) throw new ProblemError({ code: 'unauthenticated', detail: 'Nobody is signed in.' })
  return principal
})

@Injectable()
export class RequiresGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly identity: Identity,
    private readonly callers: Callers,
    private readonly refusals: RefusalLog,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true
    const needed = this.reflector.getAllAndOverride<Role | 'public' | undefined>(REQUIRES, [
      context.getHandler(),
      context.getClass(),
    ])
    if (needed === 'public') return true
    if (needed === undefined) throw new ProblemError({ code: 'forbidden', detail: 'This route is open to nobody.' })
    const request = context.switchToHttp().getRequest<FastifyRequest>()
    const asking = this.callers.asking(request.raw)
    const found = await this.identity.identify(asking)
    if (!found.ok)
      throw new ProblemError(
        found.refusal,
        found.refusal.code === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {},
      )
    const principal = found.value
    if (!mayAct(principal.role, needed)) {
      const route = `${request.method} ${request.routeOptions.url ?? ''}`
      this.refusals.note({ what: 'role', ip: asking.ip, actor: principal.name, detail: { needed, route } })
      throw new ProblemError({
        code: 'forbidden',
        detail: `This needs the role ${needed}; yours is ${principal.role}.`,
      })
    }
    principals.set(request, principal)
    return true
  }
}
