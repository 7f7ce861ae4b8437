import { createServer, type Server } from 'node:http'
import type { Weir } from '@weir/agent'

/** For operators, on a port that only they reach: `GET /?gate=checkout` has the kept decisions of that gate, and every number that decided each. */
export const whyOn = (weir: Weir, port: number): Server =>
  createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://operators').searchParams.get('gate')
    const known = weir.status().gates.find(({ name }) => name === asked)
    response.setHeader('content-type', 'application/json')
    if (known) response.end(JSON.stringify(weir.gate(known.name).explain()))
    else response.writeHead(404).end('[]')
  }).listen(port, '127.0.0.1')
