import type { Weir, WeirOptions } from '@weir/agent'
import type { FastifyInstance } from 'fastify'

/** How a service of the fleet finds its control plane: by the environment, as in production. */
export const weirOptions = (service: string): WeirOptions => ({
  service,
  controlPlane: process.env.WEIR_CONTROL_PLANE ?? '',
  key: process.env.WEIR_KEY ?? '',
  ...(process.env.WEIR_SNAPSHOTS ? { snapshotDir: process.env.WEIR_SNAPSHOTS } : {}),
  ...(process.env.WEIR_INSTANCE ? { instance: process.env.WEIR_INSTANCE } : {}),
})

/** Listens on a free port, tells it to the parent process, and ends with it. */
export const listen = async (app: FastifyInstance, weir: Weir): Promise<void> => {
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  process.send?.({ type: 'listening', url })
  const end = async (): Promise<void> => {
    await weir.drain(500)
    await app.close()
    await weir.close()
    process.exit(0)
  }
  process.once('SIGTERM', () => void end())
  process.once('disconnect', () => void end())
  process.on('SIGINT', () => undefined)
}
