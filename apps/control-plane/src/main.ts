import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from './app.module.ts'
import { dressApplication, httpAdapter, listen, openDatabase } from './boot.ts'
import { readConfig, StartRefused } from './config/config.ts'
import { OperatorStore } from './features/access/operators.ts'
import { announceSetup } from './features/access/setup-announcement.ts'

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
    await announceSetup(app.get(OperatorStore), {
      baseUrl: config.publicUrl ?? url,
      dataFolder: config.dataFolder,
      terminal: process.stdout.isTTY === true,
      print: console.info,
      now: Date.now,
    })
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
