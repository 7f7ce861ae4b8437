import { Controller, Get } from '@nestjs/common'
import { API, type Me } from '@weir/api'
import type { Principal } from '../features/access/identity.ts'
import { Actor, Requires } from './requires.ts'

@Controller(`${API}/me`)
@Requires('viewer')
export class MeController {
  @Get()
  me(@Actor() { kind, id, name, email, role }: Principal): Me {
    return { kind, id, name, email, role }
  }
}
