import protobuf from 'protobufjs'
import snappy from 'snappyjs'
import { expect, test } from 'vitest'
import { rollUp } from '../../features/outcomes/roll-up.ts'
import { ServiceSeats } from '../../features/outcomes/seats.ts'
import { cellOf, type Window } from '../../features/outcomes/window.ts'
import { writeRequest } from './remote-write.ts'
import { FIGURES, Moments, type Sample, samplesOf } from './samples.ts'

test('no contribution to a second has the moment and the name of another, and none the last millisecond', () => {
  const moments = new Moments('r')
  const given = Array.from({ length: 2_500 }, () => moments.next(60))
  expect(new Set(given.map(({ ms, replica }) => `${ms} ${replica}`)).size).toBe(2_500)
  expect(Math.max(...given.map(({ ms }) => ms))).toBe(60_998)
  expect(moments.next(61)).toEqual({ ms: 61_000, replica: 'r' })
})

test('seconds that no window can lie in any more are forgotten', () => {
  const moments = new Moments('r')
  moments.next(60)
  moments.forget(1_860_000)
  expect(moments.next(60).ms).toBe(60_001)
  moments.forget(1_861_000)
  expect(moments.next(60).ms).toBe(60_000)
})

const windowOf = (second: number): Window => {
  const window: Window = { id: 'x', environment: 'e', service: 's', instance: 'i', numbered: null, stretches: [] }
  const none = { class: null, tenant: null, reason: null, revision: null }
  const cell = cellOf(window, { startMs: second * 1000, endMs: (second + 1) * 1000 }, 'gate', 'g', none)
  cell.add('offered', 2)
  cell.peak('level', 0)
  return window
}
const rows = () => rollUp([windowOf(61), windowOf(60)], new ServiceSeats(), 0).values()

test('a figure is a series with its samples in order; what is zero is not sent, what is zero at its highest is', () => {
  const places = samplesOf(rows(), new Moments('r')).filter(({ labels }) => new Map(labels).get('cut') === 'total')
  expect(places).toHaveLength(1)
  const told = places[0]?.samples.flatMap((samples, i) => (samples ? [[FIGURES[i]?.figure, samples]] : []))
  expect(told).toEqual([
    ['weight', [60, 61].map((second) => ({ ms: second * 1000, value: 2 }))],
    ['offered', [60, 61].map((second) => ({ ms: second * 1000, value: 2 }))],
    ['level', [60, 61].map((second) => ({ ms: second * 1000, value: 0 }))],
  ])
})

test('the request is what the specification of remote-write says, byte by byte, with labels by name', () => {
  const counts = FIGURES.findIndex(({ figure, bucket }) => figure === 'wait_counts' && bucket === '3')
  const samples = new Array<Sample[] | undefined>(FIGURES.length)
  samples[counts] = [
    { ms: 300, value: 1 },
    { ms: 1_700_000_000_123, value: -2.5 },
  ]
  const labels = [
    ['cut', 'total'],
    ['name', 'a\ud800é'],
  ] as const
  const body = writeRequest([{ labels, samples }])
  const known = protobuf.parse(`syntax = "proto3";
    message Write { repeated Series timeseries = 1; }
    message Series { repeated Label labels = 1; repeated Sample samples = 2; }
    message Label { string name = 1; string value = 2; }
    message Sample { double value = 1; int64 timestamp = 2; }`)
  const read = known.root.lookupType('Write').decode(snappy.uncompress(body))
  expect(read.toJSON()).toEqual({
    timeseries: [
      {
        labels: [
          { name: '__name__', value: 'weir_outcome' },
          { name: 'bucket', value: '3' },
          { name: 'cut', value: 'total' },
          { name: 'figure', value: 'wait_counts' },
          { name: 'name', value: 'a\ufffdé' },
        ],
        samples: [
          { value: 1, timestamp: '300' },
          { value: -2.5, timestamp: '1700000000123' },
        ],
      },
    ],
  })
})

test('a request larger than the first piece of memory is whole', () => {
  const many = rollUp(
    Array.from({ length: 2_000 }, (_, i) => windowOf(60 + i)),
    new ServiceSeats(),
    0,
  ).values()
  const places = samplesOf(many, new Moments('r'))
  expect(places.map(({ samples }) => samples[0]?.length)).toEqual([2_000, 2_000])
  expect(snappy.uncompress(writeRequest(places)).length).toBeGreaterThan(150_000)
})
