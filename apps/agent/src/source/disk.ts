import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvenSplit, PolicyIdentity } from '@weir/policy/model'
import { type Scales, WIRE } from '@weir/wire/model'

/** A policy as it was pushed, and for whom. */
export interface DiskSnapshot {
  /** `null` where only a poll brought it and the host named none. */
  readonly environment: string | null
  readonly service: string | null
  readonly identity: PolicyIdentity
  readonly effective: { readonly policy: unknown; readonly quotas: unknown }
  /** The last share of every quota: without it each process of a fleet that starts cut off would take the whole. */
  readonly split: EvenSplit | null
  /** Left out in files of an earlier version. */
  readonly scales?: Scales
}

export interface DiskOptions {
  readonly directory: string
  /** Whether the directory must be the user's own and writable by nobody else: a place that others can write to, such as the temporary folder. */
  readonly privately: boolean
  readonly key: string
  readonly onError: (error: unknown) => void
}

/** The pushed policy twice as text inside text, and its envelope. */
const MAX_FILE_BYTES = 2 * WIRE.maxControlMessageBytes

const derive = (key: string, purpose: string): Buffer =>
  createHmac('sha256', key).update(`weir disk snapshot 1 ${purpose}`).digest()

/**
 * The last policy on disk, so that a process starts right while the control plane is down. One file for each key, and a key is for one environment and
 * service. Mode 0600, replaced by rename, with an HMAC of a key derived from the agent's: a file that was changed, or is another's, is not used.
 */
export class Disk {
  readonly #o: DiskOptions
  readonly #path: string
  readonly #macKey: Buffer
  #next: DiskSnapshot | null = null
  #writing: Promise<void> | null = null

  constructor(options: DiskOptions) {
    this.#o = options
    this.#macKey = derive(options.key, 'mac')
    this.#path = join(options.directory, `weir-${derive(options.key, 'name').toString('hex').slice(0, 16)}.json`)
  }

  get path(): string {
    return this.#path
  }

  /** `null`: there is none that may be used; why is reported, unless there is no file. */
  async load(): Promise<DiskSnapshot | null> {
    try {
      const file = await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW)
      try {
        const { size } = await file.stat()
        if (size > MAX_FILE_BYTES) throw new Error(`${this.#path} is longer than ${MAX_FILE_BYTES} bytes.`)
        return this.#verified(await file.readFile('utf8'))
      } finally {
        await file.close()
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#o.onError(error)
      return null
    }
  }

  #verified(text: string): DiskSnapshot {
    const broken = new Error(`${this.#path} is not a snapshot written with this key; it is not used.`)
    let envelope: { mac?: unknown; body?: unknown }
    try {
      envelope = JSON.parse(text)
    } catch {
      throw broken
    }
    if (typeof envelope?.mac !== 'string' || typeof envelope.body !== 'string') throw broken
    const stated = Buffer.from(envelope.mac, 'hex')
    const right = this.#mac(envelope.body)
    if (stated.length !== right.length || !timingSafeEqual(stated, right)) throw broken
    return JSON.parse(envelope.body)
  }

  #mac(body: string): Buffer {
    return createHmac('sha256', this.#macKey).update(body).digest()
  }

  /** Writes soon; of several in a row only the last. Never rejects. */
  save(snapshot: DiskSnapshot): void {
    this.#next = snapshot
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = null
    })
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #drain(): Promise<void> {
    while (this.#next !== null) {
      const snapshot = this.#next
      this.#next = null
      try {
        await this.#write(snapshot)
      } catch (error) {
        this.#o.onError(error)
      }
    }
  }

  async #write(snapshot: DiskSnapshot): Promise<void> {
    await mkdir(this.#o.directory, { recursive: true, mode: 0o700 })
    if (this.#o.privately) await mustBeOwn(this.#o.directory)
    const body = JSON.stringify(snapshot)
    const text = JSON.stringify({ mac: this.#mac(body).toString('hex'), body })
    if (Buffer.byteLength(text) > MAX_FILE_BYTES) throw new Error('The policy is too long to be kept on disk.')
    const draft = `${this.#path}.${process.pid}.${randomBytes(4).toString('hex')}`
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } catch (error) {
      await unlink(draft).catch(() => undefined)
      throw error
    } finally {
      await file.close()
    }
    await rename(draft, this.#path)
  }
}

const mustBeOwn = async (directory: string): Promise<void> => {
  const stat = await lstat(directory)
  const mine = process.getuid === undefined || stat.uid === process.getuid()
  if (!stat.isDirectory() || !mine || (stat.mode & 0o022) !== 0)
    throw new Error(`${directory} is not a folder of this user alone; no snapshot is kept there.`)
}
