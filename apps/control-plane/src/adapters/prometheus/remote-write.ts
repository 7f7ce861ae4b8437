import snappy from 'snappyjs'
import { FIGURES, type FigureName, type PlaceSamples } from './samples.ts'

/** Fields of `prometheus.WriteRequest` 1.0 with their wire types: https://prometheus.io/docs/specs/prw/remote_write_spec/ */
const TAG = { timeseries: 10, label: 10, sample: 18, name: 10, value: 18, sampleValue: 9, sampleMs: 16 } as const

export const WRITE_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

/** Room that a request begins with. */
const FIRST_BYTES = 65_536

/** Bytes that grow. */
class Out {
  #bytes: Buffer
  #size = 0

  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected)
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  raw(bytes: Uint8Array): this {
    this.#room(bytes.length)
    this.#bytes.set(bytes, this.#size)
    this.#size += bytes.length
    return this
  }

  varint(value: number): this {
    this.#room(10)
    let left = value
    for (; left > 127; left = Math.floor(left / 128)) this.#bytes[this.#size++] = (left % 128) | 128
    this.#bytes[this.#size++] = left
    return this
  }

  /** A sample of so many bytes, up to its value. */
  sample(size: number, value: number): this {
    this.#room(11)
    this.#bytes[this.#size++] = TAG.sample
    this.#bytes[this.#size++] = size
    this.#bytes[this.#size++] = TAG.sampleValue
    this.#size = this.#bytes.writeDoubleLE(value, this.#size)
    return this
  }

  #room(more: number): void {
    if (this.#size + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#size + more))
    larger.set(this.bytes)
    this.#bytes = larger
  }
}

const text = (tag: number, value: string): Uint8Array => {
  const bytes = Buffer.from(value.toWellFormed())
  return new Out(bytes.length + 10).varint(tag).varint(bytes.length).raw(bytes).bytes
}
const label = ([name, value]: readonly [string, string]): Uint8Array => {
  const inner = Buffer.concat([text(TAG.name, name), text(TAG.value, value)])
  return new Out(inner.length + 10).varint(TAG.label).varint(inner.length).raw(inner).bytes
}
const labels = (of: readonly (readonly [string, string])[]): Uint8Array => Buffer.concat(of.map(label))

/** The labels of a figure: two that come before all of a place, and one that comes between them. */
const headOf = ({ metric, figure, bucket }: FigureName) => ({
  first: labels([['__name__', metric], ...(bucket === '' ? [] : [['bucket', bucket] as const])]),
  between: label(['figure', figure]),
})
const HEADS = FIGURES.map(headOf)

/** What follows a sample's value: its time. Few moments in one request are the time of very many samples. */
class Times {
  readonly #known = new Map<number, Uint8Array>()

  of(ms: number): Uint8Array {
    const known = this.#known.get(ms)
    if (known !== undefined) return known
    const made = new Out(11).varint(TAG.sampleMs).varint(ms).bytes
    this.#known.set(ms, made)
    return made
  }
}
/** The value with its tag. */
const VALUE_BYTES = 9

/** The body of a remote-write request, compressed. Labels of a place are made into bytes once for all of its figures. */
export const writeRequest = (places: Iterable<PlaceSamples>): Uint8Array => {
  const out = new Out(FIRST_BYTES)
  const times = new Times()
  for (const { labels: own, samples } of places) {
    const before = labels(own.filter(([name]) => name < 'figure'))
    const after = labels(own.filter(([name]) => name > 'figure'))
    for (const [i, { first, between }] of HEADS.entries()) {
      const of = samples[i]
      if (of === undefined) continue
      let size = first.length + before.length + between.length + after.length
      for (const { ms } of of) size += 2 + VALUE_BYTES + times.of(ms).length
      out.varint(TAG.timeseries).varint(size).raw(first).raw(before).raw(between).raw(after)
      for (const { ms, value } of of) {
        const time = times.of(ms)
        out.sample(VALUE_BYTES + time.length, value).raw(time)
      }
    }
  }
  return snappy.compress(out.bytes)
}
