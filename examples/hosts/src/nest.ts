import 'reflect-metadata'
import type { AddressInfo } from 'node:net'
import { Controller, Get, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Weir } from '@weir/agent'
import { WeirExempt, WeirGate, WeirModule } from '@weir/agent/nest'
import { type Running, report } from './report.ts'

@Controller()
class ReportsController {
  @WeirExempt()
  @Get('healthz')
  health() {
    return 'well'
  }

  @WeirGate('reports')
  @Get('reports/:month')
  report(@Param('month') month: string) {
    return report(month)
  }
}

@Module({ controllers: [ReportsController] })
class AppModule {}

export const start = async (weir: Weir, port: number): Promise<Running> => {
  const root = { module: AppModule, imports: [WeirModule.forRoot({ weir })] }
  const app = await NestFactory.create(root, { logger: ['error'] })
  await app.listen(port, '127.0.0.1')
  return { port: (app.getHttpServer().address() as AddressInfo).port, close: () => app.close() }
}
