import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../examples/fleet/src/demo/control-plane.ts'
import { temporaryFolder } from './started.ts'

const main = new URL('../apps/control-plane/dist/main.js', import.meta.url).pathname

/** Starts the control plane where it cannot start; answers with what it said and how it ended. */
const fails = async (env: Record<string, string>): Promise<{ code: number | null; lines: string[] }> => {
  const { DATABASE_URL: _, ...rest } = process.env
  const child = spawn(process.execPath, [main], { env: { ...rest, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, lines: output.split('\n').filter((line) => line.trim() !== '') }
}

describe('a control plane that cannot start says so in one clear line', () => {
  it('when its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const { code, lines } = await fails({ PORT: String(port), WEIR_DATA: await temporaryFolder() })
    expect(code).not.toBe(0)
    expect(lines.filter((line) => line.includes(String(port)) && /in use|taken/.test(line))).toHaveLength(1)
  })

  it('when the database is down', async () => {
    const { code, lines } = await fails({
      PORT: String(await freePort()),
      WEIR_DATA: await temporaryFolder(),
      DATABASE_URL: `postgresql://weir:secret@127.0.0.1:${await freePort()}/weir`,
    })
    expect(code).not.toBe(0)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/database/i)
    expect(lines[0]).not.toContain('secret')
  })

  it('when a file stands where its data folder should be', async () => {
    const file = join(await temporaryFolder(), 'data')
    await writeFile(file, '')
    const { code, lines } = await fails({ PORT: String(await freePort()), WEIR_DATA: file })
    expect(code).not.toBe(0)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(file)
  })

  it('when a setting is wrong, naming it', async () => {
    const { code, lines } = await fails({ PORT: 'seventy', WEIR_DATA: await temporaryFolder() })
    expect(code).not.toBe(0)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('PORT')
  })
})
