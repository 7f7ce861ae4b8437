import protobuf from 'protobufjs'
import snappy from 'snappyjs'
import type { SampleSeries } from './samples.ts'

/** Fields of `prometheus.WriteRequest` 1.0 with their wire types: https://prometheus.io/docs/specs/prw/remote_write_spec/ */
const TAG = { timeseries: 10, label: 10, sample: 18, name: 10, value: 18, sampleValue: 9, sampleMs: 16 } as const

export const WRITE_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

/** The body of a remote-write request, compressed. */
export const writeRequest = (series: Iterable<SampleSeries>): Uint8Array => {
  const out = protobuf.Writer.create()
  for (const { labels, samples } of series) {
    out.uint32(TAG.timeseries).fork()
    for (const [name, value] of labels)
      out.uint32(TAG.label).fork().uint32(TAG.name).string(name).uint32(TAG.value).string(value.toWellFormed()).ldelim()
    for (const { ms, value } of samples)
      out.uint32(TAG.sample).fork().uint32(TAG.sampleValue).double(value).uint32(TAG.sampleMs).int64(ms).ldelim()
    out.ldelim()
  }
  return snappy.compress(out.finish())
}
