import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensure, pathOf, REDIS } from '../../../tools/system-packages.ts'
import { ended } from '../children.ts'

export interface OwnRedis {
  readonly socket: string
  stop(): Promise<void>
}

/** A Redis of the bench's own, reached by a socket in its folder; it writes nothing to the disk, whose speed is not what is measured. */
export const startRedis = async (parent: string): Promise<OwnRedis> => {
  ensure(REDIS)
  const folder = await mkdtemp(join(parent, 'redis-'))
  const socket = join(folder, 'redis.sock')
  const settings = { port: '0', unixsocket: socket, dir: folder, save: '', appendonly: 'no' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const process = spawn(pathOf(REDIS) as string, args, { stdio: 'ignore' })
  for (let left = 200; !existsSync(socket); left--) {
    if (left === 0 || process.exitCode !== null) throw new Error('Redis did not start.')
    await sleep(25)
  }
  return { socket, stop: () => ended(process) }
}
