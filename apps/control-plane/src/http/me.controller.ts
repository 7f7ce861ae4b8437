import { Controller, Get } from '@nestjs/common'
import { API, type Me, meSchema } from '@weir/api'
import type { Principal } from '../features/access/identity.ts'
import { Answers } from './answer.ts'
import { Actor, Requires } from './requires.ts'

@Controller(`${API}/me`)
@Requires('viewer')
export class MeController {
  @Get()
  @Answers('Says who asks', meSchema)
  me(@Actor() { kind, id, name, email, role }: Principal): Me {
    return { kind, id, name, email, role }
  }
}
