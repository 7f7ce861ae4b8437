import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from './app.module.ts'
import { checkPort, dressApplication, httpAdapter, listen, openDatabase } from './boot.ts'
import { readConfig, StartRefused } from './config/config.ts'
import { startSelfTracing } from './config/self-tracing.ts'
import { OperatorStore } from './features/access/operators.ts'
import { announceSetup } from './features/access/setup-announcement.ts'

/** A shutdown that hangs ends here. */
const SHUTDOWN_MS = 15_000

const refuse = (error: unknown): never => {
  console.error(error instanceof StartRefused ? `weir: ${error.message}` : error)
  process.exit(1)
}

/** Resolves at the first SIGTERM or SIGINT; from then on there is a limit, and a second signal ends at once. */
const endAsked = (): Promise<void> =>
  new Promise((resolve) => {
    let asked = false
    const end = () => {
      if (asked) process.exit(1)
      asked = true
      setTimeout(() => process.exit(1), SHUTDOWN_MS).unref()
      resolve()
    }
    process.on('SIGTERM', end)
    process.on('SIGINT', end)
  })

const serve = async (): Promise<void> => {
  const config = readConfig(process.env, process.cwd())
  await checkPort(config)
  const asked = endAsked()
  const endTracing = await startSelfTracing(config)
  const opened = await openDatabase(config, (why) => refuse(new StartRefused(why)))
  let app: NestFastifyApplication | null = null
  try {
    const root = AppModule.of(config, opened.database)
    const options = { bufferLogs: true, abortOnError: false }
    app = await NestFactory.create<NestFastifyApplication>(root, await httpAdapter(config), options)
    await dressApplication(app, config)
    const url = await listen(app, config)
    console.info(`weir: the control plane listens on ${url}`)
    await announceSetup(app.get(OperatorStore), {
      baseUrl: config.publicUrl ?? url,
      dataFolder: config.dataFolder,
      terminal: process.stdout.isTTY === true,
      print: console.info,
      now: Date.now,
    })
    await asked
  } finally {
    await app?.close()
    await opened.close()
    await endTracing()
  }
}

await serve().catch(refuse)
process.exit(0)
