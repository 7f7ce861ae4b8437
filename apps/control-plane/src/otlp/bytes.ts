import { MAX_MESSAGES, Malformed, tooMany } from './model.ts'

/** Wire types of protobuf. */
const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const GROUP = 3
const GROUP_END = 4
const FIXED32 = 5
const MAX_GROUPS = 16
const MAX_VARINT_BYTES = 10

const TWO_32 = 4_294_967_296
const TWO_63 = 2 ** 63

/** Longer texts are not remembered. */
const SHORT_BYTES = 64
const REMEMBERED = 4_096

interface Known {
  readonly bytes: Buffer
  readonly text: string
}

/**
 * Reads protobuf in place, field after field. Keys and names of services, gates and tenants come over and over: each is one string, which is remembered,
 * for to make them anew is most of what decoding costs otherwise. Throws `Malformed`.
 */
export class Bytes {
  static readonly #known = new Array<Known | undefined>(REMEMBERED).fill(undefined)
  /** Length of the whole body. */
  readonly size: number
  readonly #buffer: Buffer
  readonly #view: DataView
  #wire = 0
  #at = 0
  #messages = 0

  constructor(body: Uint8Array) {
    this.#buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    this.#view = new DataView(body.buffer, body.byteOffset, body.byteLength)
    this.size = body.byteLength
  }

  /** Number of the next field before `end`; 0: the message is over. */
  field(end: number): number {
    if (this.#at >= end) return this.#over(end)
    const tag = this.#length()
    this.#wire = tag & 7
    return tag >>> 3 || fail()
  }

  /** Where the message that the field holds ends. Past the bound of messages it throws; -1: it holds something else, and was skipped. */
  message(): number {
    if (this.#skips(LENGTH)) return -1
    if (++this.#messages > MAX_MESSAGES) throw tooMany()
    return this.#end()
  }

  skip(): void {
    this.#skip(this.#wire, 0)
  }

  /** A field of another wire type than asked for is skipped, and what it held is `null`. */
  text(): string | null {
    if (this.#skips(LENGTH)) return null
    const end = this.#end()
    const start = this.#at
    this.#at = end
    return end - start > SHORT_BYTES ? this.#buffer.toString('utf8', start, end) : this.#short(start, end)
  }

  bytes(): Uint8Array | null {
    if (this.#skips(LENGTH)) return null
    const end = this.#end()
    const bytes = this.#buffer.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  hex(): string | null {
    if (this.#skips(LENGTH)) return null
    const end = this.#end()
    const text = this.#buffer.toString('hex', this.#at, end)
    this.#at = end
    return text
  }

  /** Of 64 bits with their sign, beyond 2^53 to the nearest double. */
  varint(): number | null {
    return this.#skips(VARINT) ? null : this.#varint()
  }

  /** Without a sign. */
  fixed64(): number | null {
    return this.#skips(FIXED64) ? null : this.#fixed64()
  }

  signedFixed64(): number | null {
    if (this.#skips(FIXED64)) return null
    const at = this.#move(8)
    return this.#view.getUint32(at, true) + this.#view.getInt32(at + 4, true) * TWO_32
  }

  double(): number | null {
    return this.#skips(FIXED64) ? null : this.#double()
  }

  /** Appends what a repeated field holds, packed or one of them. */
  fixed64s(into: number[]): void {
    if (this.#wire === FIXED64) into.push(this.#fixed64())
    else for (let left = this.#packed(); left > 0; left--) into.push(this.#fixed64())
  }

  doubles(into: number[]): void {
    if (this.#wire === FIXED64) into.push(this.#double())
    else for (let left = this.#packed(); left > 0; left--) into.push(this.#double())
  }

  #over(end: number): 0 {
    return this.#at === end ? 0 : fail()
  }

  #skips(wanted: number): boolean {
    if (this.#wire === wanted) return false
    this.skip()
    return true
  }

  /** Numbers of eight bytes that follow. */
  #packed(): number {
    if (this.#skips(LENGTH)) return 0
    const count = (this.#end() - this.#at) / 8
    return Number.isInteger(count) ? count : fail()
  }

  #end(): number {
    const length = this.#length()
    const end = this.#at + length
    return end > this.size ? fail() : end
  }

  #fixed64(): number {
    const at = this.#move(8)
    return this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * TWO_32
  }

  #double(): number {
    return this.#view.getFloat64(this.#move(8), true)
  }

  /** Past the next `count` bytes; returns where they begin. */
  #move(count: number): number {
    const at = this.#at
    this.#at += count
    return this.#at > this.size ? fail() : at
  }

  /** A length or a tag: a varint of at most 32 bits. */
  #length(): number {
    const first = this.#byte()
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.#byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value < TWO_32 ? value : fail()
      if (scale > TWO_32) return fail()
    }
  }

  #varint(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = this.#byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value >= TWO_63 ? negative(this.#buffer, this.#at - i - 1) : value
      scale *= 0x80
    }
    return fail()
  }

  #byte(): number {
    if (this.#at >= this.size) fail()
    return this.#buffer[this.#at++] as number
  }

  #skip(wire: number, groups: number): void {
    if (wire === VARINT) this.#varint()
    else if (wire === FIXED64) this.#move(8)
    else if (wire === FIXED32) this.#move(4)
    else if (wire === LENGTH) this.#at = this.#end()
    else if (wire === GROUP && groups < MAX_GROUPS)
      for (let inner = this.#length() & 7; inner !== GROUP_END; inner = this.#length() & 7)
        this.#skip(inner, groups + 1)
    else fail()
  }

  #short(start: number, end: number): string {
    let hash = end - start
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (this.#buffer[i] as number)) | 0
    const slot = (hash ^ (hash >>> 12)) & (REMEMBERED - 1)
    const known = Bytes.#known[slot]
    if (known !== undefined && this.#equals(known.bytes, start, end)) return known.text
    const text = this.#buffer.toString('utf8', start, end)
    Bytes.#known[slot] = { bytes: Buffer.copyBytesFrom(this.#buffer, start, end - start), text }
    return text
  }

  #equals(bytes: Buffer, start: number, end: number): boolean {
    if (bytes.length !== end - start) return false
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== this.#buffer[start + i]) return false
    return true
  }
}

const fail = (): never => {
  throw new Malformed('The body is no OTLP message in protobuf.')
}

/** The ten bytes of a negative number, as two's complement. */
const negative = (buffer: Buffer, start: number): number => {
  let value = 0n
  for (let i = 0; i < MAX_VARINT_BYTES; i++) value |= BigInt((buffer[start + i] as number) & 0x7f) << BigInt(7 * i)
  return Number(BigInt.asIntN(64, value))
}
