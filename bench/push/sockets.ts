/** Many sockets in one process. With keys they speak as agents do (hello, pong, receipt, a sparse report); without they only listen. */
import { setTimeout as sleep } from 'node:timers/promises'
import { AGENT_PATHS, type AgentMessage, encode, SUBPROTOCOL } from '@weir/wire'
import WebSocket from 'ws'
import { helloOf } from './hello.ts'
import { type Answer, type Ask, epochMs } from './message.ts'

/** As many handshakes at once. */
const OPENING = 64
/** As agents of a large fleet report. */
const REPORT_MS = 10_000

/** How a push begins: the rest of it is not read, for here a whole fleet shares one processor. */
const PUSHED = /^\{"type":"(?:snapshot|delta)","databaseId":"([^"]+)","revision":(\d+),"hash":"([0-9a-f]+)"/
const HEAD = 400

const say = (answer: Answer) => process.send?.(answer)

let arrivals: number[] = []
let expected = 0
let bytes = 0

const arrived = (length: number): void => {
  bytes = length
  if (expected === 0) return
  arrivals.push(epochMs())
  if (arrivals.length < expected) return
  say({ type: 'arrived', at: arrivals.toSorted((a, b) => a - b), bytes })
  expected = 0
}

const agent = (socket: WebSocket, n: number): void => {
  const tell = (message: AgentMessage) => socket.send(encode(message))
  tell(helloOf(n, null))
  let sequence = 0
  setTimeout(() => {
    const report = () =>
      tell({
        type: 'report',
        sequence: ++sequence,
        source: 'stream',
        gates: [],
        dependencies: [],
        consumers: [],
        scales: {},
        uncounted: false,
      })
    report()
    setInterval(report, REPORT_MS)
  }, Math.random() * REPORT_MS)
  socket.on('message', (data) => {
    const { length } = data as Buffer
    const text = (data as Buffer).subarray(0, HEAD).toString()
    const pushed = PUSHED.exec(text)
    if (pushed !== null) {
      arrived(length)
      const [, databaseId = '', revision, hash = ''] = pushed
      setImmediate(() =>
        tell({ type: 'receipt', databaseId, revision: Number(revision), hash, status: 'applied', refused: [] }),
      )
    } else if (text.startsWith('{"type":"ping"')) tell({ type: 'pong', n: JSON.parse(text).n })
  })
}

const open = (url: string, key: string | undefined, n: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket =
      key === undefined
        ? new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false })
        : new WebSocket(url.replace('http', 'ws') + AGENT_PATHS.socket, SUBPROTOCOL, {
            headers: { authorization: `Bearer ${key}` },
            perMessageDeflate: false,
          })
    if (key === undefined) socket.on('message', (data) => arrived((data as Buffer).length))
    socket.once('open', () => {
      if (key !== undefined) agent(socket, n)
      resolve()
    })
    socket.once('error', reject)
    socket.once('close', (code, reason) => {
      console.error(`socket ${n} was closed: ${code} ${reason}`)
      process.exit(1)
    })
  })

process.on('message', async (ask: Ask) => {
  if (ask.type === 'expect') {
    arrivals = []
    expected = count
    return
  }
  const from = epochMs()
  const first = count
  count += ask.count
  let next = first
  const opener = async (): Promise<void> => {
    while (next < first + ask.count) {
      const n = next++
      await open(ask.url, ask.keys[n % Math.max(1, ask.keys.length)], n)
      // Handshakes of one event loop with itself: the other end wants its turn.
      await sleep(0)
    }
  }
  await Promise.all(Array.from({ length: OPENING }, opener))
  say({ type: 'opened', tookMs: epochMs() - from })
})
let count = 0
process.on('disconnect', () => process.exit())
