import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Disk, type DiskSnapshot } from './disk.ts'

let directory: string
let errors: unknown[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'weir-disk-'))
  errors = []
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const disk = (key = 'key-one', privately = false, folder = directory) =>
  new Disk({ directory: folder, privately, key, onError: (error) => errors.push(error) })

const snapshot = (revision: number): DiskSnapshot => ({
  environment: 'prod',
  service: 'orders',
  identity: { databaseId: 'db', revision, hash: 'a'.repeat(64) },
  effective: { policy: { version: 1, gates: {} }, quotas: {} },
  split: { agents: 4, rank: 2 },
})

const save = async (kept: Disk, revision: number) => {
  kept.save(snapshot(revision))
  await kept.settled()
}

describe('the snapshot on disk', () => {
  it('gives back what was saved, readable by its owner only', async () => {
    await save(disk(), 3)
    expect(await disk().load()).toEqual(snapshot(3))
    expect((await stat(disk().path)).mode & 0o777).toBe(0o600)
    expect(errors).toEqual([])
  })

  it('keeps the last of several in a row and leaves no drafts', async () => {
    const kept = disk()
    for (let revision = 1; revision <= 20; revision++) kept.save(snapshot(revision))
    await kept.settled()
    expect((await kept.load())?.identity.revision).toBe(20)
    expect(await readdir(directory)).toHaveLength(1)
  })

  it('says nothing where there is no file yet', async () => {
    expect(await disk().load()).toBeNull()
    expect(errors).toEqual([])
  })

  it('does not see the file of another key, and does not use it under its own name', async () => {
    await save(disk('key-two'), 3)
    expect(await disk('key-one').load()).toBeNull()
    await writeFile(disk('key-one').path, await readFile(disk('key-two').path))
    expect(await disk('key-one').load()).toBeNull()
    expect(errors).toHaveLength(1)
  })

  it.each([
    ['one changed digit', (text: string) => text.replace('revision\\":3', 'revision\\":4')],
    ['a cut', (text: string) => text.slice(0, -20)],
    ['no JSON', () => 'hello'],
    ['null', () => 'null'],
    ['no mac', (text: string) => JSON.stringify({ ...JSON.parse(text), mac: undefined })],
    ['a short mac', (text: string) => JSON.stringify({ ...JSON.parse(text), mac: 'ab' })],
  ])('ignores and reports a file with %s', async (_name, tamper) => {
    await save(disk(), 3)
    const text = await readFile(disk().path, 'utf8')
    const changed = tamper(text)
    expect(changed).not.toBe(text)
    await writeFile(disk().path, changed)
    expect(await disk().load()).toBeNull()
    expect(errors).toHaveLength(1)
  })

  it('does not read a file that is too long', async () => {
    await writeFile(disk().path, Buffer.alloc(5_000_000, 0x20))
    expect(await disk().load()).toBeNull()
    expect(String(errors[0])).toMatch(/longer than/)
  })

  it('follows no link', async () => {
    await save(disk(), 3)
    const elsewhere = join(directory, 'elsewhere')
    await writeFile(elsewhere, await readFile(disk().path))
    await rm(disk().path)
    await symlink(elsewhere, disk().path)
    expect(await disk().load()).toBeNull()
    expect(errors).toHaveLength(1)
  })

  it('keeps nothing in a shared folder that others can write to', async () => {
    const folder = join(directory, 'open')
    await save(disk('key-one', true, folder), 1)
    expect(errors).toEqual([])
    await chmod(folder, 0o777)
    await save(disk('key-one', true, folder), 2)
    expect(errors).toHaveLength(1)
    expect((await disk('key-one', false, folder).load())?.identity.revision).toBe(1)
  })

  it('reports a folder that is a file and goes on', async () => {
    const blocked = join(directory, 'file')
    await writeFile(blocked, '')
    await save(disk('key-one', false, blocked), 1)
    expect(errors).toHaveLength(1)
  })
})
