import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from './app.module.ts'
import { dressApplication, httpAdapter, listen, openDatabase } from './boot.ts'
import { readConfig, StartRefused } from './config/config.ts'

/** A shutdown that hangs ends here. */
const SHUTDOWN_MS = 15_000

const refuse = (error: unknown): never => {
  console.error(error instanceof StartRefused ? `weir: ${error.message}` : error)
  process.exit(1)
}

const start = async (): Promise<void> => {
  const config = readConfig(process.env, process.cwd())
  const opened = await openDatabase(config, refuse)
  let app: NestFastifyApplication | null = null
  try {
    app = await NestFactory.create<NestFastifyApplication>(
      AppModule.of(config, opened.database),
      await httpAdapter(config),
      {
        bufferLogs: true,
        abortOnError: false,
      },
    )
    dressApplication(app)
    const url = await listen(app, config)
    console.info(`weir: the control plane listens on ${url}`)
  } catch (error) {
    await app?.close().catch(() => {})
    await opened.close().catch(() => {})
    throw error
  }
  const running = app
  let ending = false
  const end = () => {
    if (ending) return
    ending = true
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref()
    running
      .close()
      .then(() => opened.close())
      .then(() => process.exit(0), refuse)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

await start().catch(refuse)
