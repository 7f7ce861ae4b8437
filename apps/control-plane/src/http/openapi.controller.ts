import { Controller, Get } from '@nestjs/common'
import { DiscoveryService } from '@nestjs/core'
import { openapi } from './openapi.ts'
import { Public } from './requires.ts'

@Controller('api/v1')
@Public()
export class OpenApiController {
  #document: object | null = null

  constructor(private readonly discovery: DiscoveryService) {}

  /** The contract of REST; it holds nothing secret. */
  @Get('openapi.json')
  document(): object {
    this.#document ??= openapi(
      this.discovery
        .getControllers()
        .map(({ metatype }) => metatype)
        .filter((metatype) => typeof metatype === 'function')
        .map((metatype) => metatype as never),
    )
    return this.#document
  }
}
