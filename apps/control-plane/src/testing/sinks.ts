import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface Heard {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Takes every post; `answer` says with which status. */
export const httpSink = async (answer: () => number = () => 200) => {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const status = answer()
      if (status < 300) heard.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A real mail server that keeps what it is given, headers and text. */
export const mailSink = async () => {
  const heard: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      let mail = ''
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        mail += chunk
      })
      stream.on('end', () => {
        heard.push(mail)
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    heard,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** A port that nobody listens on now. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
