import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashSecret } from './secret.ts'
import { announceSetup } from './setup-announcement.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-setup-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const announce = async (operators: boolean, terminal: boolean) => {
  const kept: { hash: string; expiresAt: Date }[] = []
  const lines: string[] = []
  const keepSetupToken = async (hash: string, expiresAt: Date) => {
    if (!operators) kept.push({ hash, expiresAt })
    return !operators
  }
  const made = await announceSetup(
    { keepSetupToken },
    {
      baseUrl: 'http://127.0.0.1:7400',
      dataFolder: join(folder, 'data'),
      terminal,
      print: (line) => lines.push(line),
      now: () => 1_000,
    },
  )
  return { made, kept, lines, file: join(folder, 'data', 'setup-link') }
}

test('on a terminal the link is printed, only its hash is kept, for an hour', async () => {
  const { kept, lines, file } = await announce(false, true)
  const token = /setup#(weir_s_\S+)$/.exec(lines[0] ?? '')?.[1] ?? ''
  expect(kept).toEqual([{ hash: hashSecret(token), expiresAt: new Date(3_601_000) }])
  await expect(stat(file)).rejects.toThrow('ENOENT')
})

test('elsewhere the link is in a file for its owner alone, and only the path is printed', async () => {
  const { kept, lines, file } = await announce(false, false)
  const link = await readFile(file, 'utf8')
  expect(kept[0]?.hash).toBe(hashSecret(link.trim().split('#')[1] ?? ''))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(lines).toEqual([`weir: make the first operator within an hour: the link is in ${file}`])
})

test('a file that was left is replaced with its rights, never written into', async () => {
  await announce(false, false)
  const { file } = await announce(false, false)
  await writeFile(file, 'left', { mode: 0o644 })
  await announce(false, false)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, 'utf8')).toContain('/setup#weir_s_')
})

test('with an operator there is no link, and a file that was left goes away', async () => {
  const { file } = await announce(false, false)
  const { made, lines } = await announce(true, false)
  expect(made).toBe(false)
  expect(lines).toEqual([])
  await expect(stat(file)).rejects.toThrow('ENOENT')
})
