import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ControlPlane, freePort } from '../examples/fleet/src/demo/control-plane.ts'
import { ownDatabase } from '../examples/fleet/src/demo/database.ts'
import { Rest } from '../examples/fleet/src/demo/rest.ts'

/** A temporary folder that goes with the test. */
export const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The built control plane, ready, with an admin's token: on a database of its own on the server given in DATABASE_URL, else on its embedded PostgreSQL. */
export const controlPlane = async (): Promise<{ controlPlane: ControlPlane; rest: Rest; folder: string }> => {
  const folder = await temporaryFolder()
  const database = process.env.DATABASE_URL ? await ownDatabase(process.env.DATABASE_URL) : undefined
  if (database) onTestFinished(database.drop)
  const plane = new ControlPlane(await freePort(), folder, database?.url)
  onTestFinished(() => plane.stop())
  await plane.start()
  return {
    controlPlane: plane,
    rest: new Rest(plane.origin, await plane.weir('token', 'create', '--name', 'test', '--role', 'admin')),
    folder,
  }
}
