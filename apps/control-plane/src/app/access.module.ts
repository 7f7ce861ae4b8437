import { Global, Module } from '@nestjs/common'
import { Identity, NobodyIdentity } from '../features/access/identity.ts'

/** Who may do what: operators, sessions, tokens. */
@Global()
@Module({
  providers: [{ provide: Identity, useClass: NobodyIdentity }],
  exports: [Identity],
})
export class AccessModule {}
