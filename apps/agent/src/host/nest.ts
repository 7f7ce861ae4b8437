import {
  type CallHandler,
  type CanActivate,
  createParamDecorator,
  type DynamicModule,
  type ExecutionContext,
  Injectable,
  type InjectionToken,
  Module,
  type NestInterceptor,
  type OptionalFactoryDependency,
} from '@nestjs/common'
import { APP_GUARD, APP_INTERCEPTOR, HttpAdapterHost } from '@nestjs/core'
import { defer, finalize, type Observable } from 'rxjs'
import type { Admitted } from './inbound/admitted.ts'
import { type NestRequest, platformAdmission } from './inbound/nest-platform.ts'
import { routeDecorator } from './inbound/nest-route.ts'
import type { GateHost, InboundOptions, RequestWeir } from './inbound/options.ts'

export type { NestRequest } from './inbound/nest-platform.ts'
export type { GateHost, RequestWeir } from './inbound/options.ts'

export interface WeirNestOptions extends InboundOptions<NestRequest> {
  readonly weir: GateHost
}

export interface WeirNestAsyncOptions {
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[]
  readonly useFactory: (...injected: never[]) => WeirNestOptions | Promise<WeirNestOptions>
}

/** The gate of a controller or of one of its methods; the method's own word goes first. */
export const WeirGate = (gate: string) => routeDecorator({ gate })

/** A health probe: it passes the gate by, at most 16 at once. */
export const WeirExempt = () => routeDecorator({ exempt: true })

/** The permit of the request, as a parameter of its handler: `RequestWeir`, `null` on exempt routes. */
export const WeirPermit = createParamDecorator<undefined, RequestWeir | null>(
  (_data, context) => admittedOf(context) ?? null,
)

const OPTIONS = Symbol('weir.options')
const ADMISSION = Symbol('weir.admission')

const admittedOf = (context: ExecutionContext): Admitted | undefined =>
  context.getType() === 'http'
    ? (context.switchToHttp().getRequest<{ weir?: Admitted | null }>().weir ?? undefined)
    : undefined

/** Work whose caller left while the body was read is not started. */
@Injectable()
export class WeirGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return !admittedOf(context)?.handling.lost
  }
}

/** Sees the handler's own end, and gives it back the asynchronous context that parsers lose. */
@Injectable()
export class WeirInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const admitted = admittedOf(context)
    if (admitted === undefined) return next.handle()
    const { handling } = admitted
    return defer(() => {
      handling.handlerStarted()
      return admitted.within(() => next.handle())
    }).pipe(finalize(() => handling.handlerEnded()))
  }
}

/**
 * Admission for NestJS on Fastify or Express: `WeirModule.forRoot({ weir })` among the imports of the application's module. Decided before the body is read,
 * ahead of Nest's own guards, and waited for in the gate's queue; refusals do not pass exception filters. The permit ends with the response *and* the handler.
 */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: the shape of a dynamic module in Nest
export class WeirModule {
  static forRoot(options: WeirNestOptions): DynamicModule {
    return WeirModule.forRootAsync({ useFactory: () => options })
  }

  static forRootAsync({ inject = [], useFactory }: WeirNestAsyncOptions): DynamicModule {
    return {
      module: WeirModule,
      providers: [
        { provide: OPTIONS, inject, useFactory },
        {
          provide: ADMISSION,
          inject: [HttpAdapterHost, OPTIONS],
          useFactory: ({ httpAdapter }: HttpAdapterHost, options: WeirNestOptions) =>
            platformAdmission(httpAdapter, options.weir, options),
        },
        { provide: APP_GUARD, useClass: WeirGuard },
        { provide: APP_INTERCEPTOR, useClass: WeirInterceptor },
      ],
    }
  }
}
