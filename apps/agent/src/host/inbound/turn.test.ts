import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { GateRig, until } from '../gate-rig.testkit.ts'
import { weirHttp } from '../http.ts'

const CALLERS = 20
const REQUEST = 'GET / HTTP/1.1\r\nhost: here\r\n\r\n'

describe('work that never waits', () => {
  it('of what arrived together no more begins than there are slots, and they are free for what comes next', async () => {
    const rig = new GateRig({ concurrency: 2, queue: { maxWaitMs: 0 } })
    const server = createServer(weirHttp({ gate: () => rig.gate }, {}, (_request, response) => void response.end()))
    const sockets: Socket[] = []
    try {
      await once(server.listen(0, '127.0.0.1'), 'listening')
      for (let i = 0; i < CALLERS; i++) sockets.push(connect((server.address() as AddressInfo).port, '127.0.0.1'))
      await Promise.all(sockets.map((socket) => once(socket, 'connect')))
      const together = async (asked: number) => {
        const before = rig.books()
        for (const socket of sockets) socket.write(REQUEST)
        await until(() => (rig.books().offered ?? 0) === asked && rig.gate.report().active === 0)
        return (rig.books().completed ?? 0) - (before.completed ?? 0)
      }
      // New connections are taken one a turn.
      await together(CALLERS)
      // A socket or two may be read a turn later than the others.
      for (const round of [2, 3]) {
        const done = await together(round * CALLERS)
        expect(done).toBeGreaterThanOrEqual(2)
        expect(done).toBeLessThan(CALLERS / 2)
      }
    } finally {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })
})
