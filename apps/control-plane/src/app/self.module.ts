import { hostname } from 'node:os'
import { Global, Inject, Logger, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { OwnAgent } from '../adapters/agent/own-agent.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { AgentKeys } from '../features/keys/agent-keys.ts'
import { Policies } from '../features/policies/policies.service.ts'
import { PolicyStore } from '../features/policies/policy-store.ts'
import { OwnGates } from '../features/self/own-gates.ts'
import { ownKey } from '../features/self/self-service.ts'
import { Catalog } from '../features/services/catalog.ts'
import { ownGatesHook } from '../http/own-gates.hook.ts'

const logger = new Logger('self')

/** The control plane under its own contract: a service of its own, with gates in front of what comes in. */
@Global()
@Module({
  providers: [
    {
      provide: OwnAgent,
      useFactory: (catalog: Catalog, policies: Policies, store: PolicyStore, keys: AgentKeys, { port }: Config) =>
        new OwnAgent({
          key: () => ownKey({ catalog, policies, store, keys }, `${hostname()}:${port}`),
          onError: (error) => logger.debug(error),
        }),
      inject: [Catalog, Policies, PolicyStore, AgentKeys, CONFIG],
    },
    { provide: OwnGates, useExisting: OwnAgent },
  ],
  exports: [OwnGates],
})
export class SelfModule implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly agent: OwnAgent,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    const server: FastifyInstance = this.host.httpAdapter.getInstance()
    ownGatesHook(server, this.agent)
    if (this.config.self)
      server.addHook('onListen', async () => {
        const address = server.server.address()
        if (typeof address === 'object' && address !== null)
          this.agent.start(ownUrl(this.config, address.port), `${hostname()}:${address.port}`)
      })
  }

  onModuleDestroy(): Promise<void> {
    return this.agent.close()
  }
}

/** Where this replica finds itself: by its public name where it ends TLS itself, for that is what the certificate names. */
const ownUrl = ({ host, tls, publicUrl }: Config, port: number): string => {
  if (tls !== null && publicUrl !== null) return publicUrl
  const everywhere = host === '0.0.0.0' || host === '::'
  const name = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `${tls === null ? 'http' : 'https'}://${name}:${port}`
}
