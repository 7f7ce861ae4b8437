import snappy from 'snappyjs'
import { expect, test } from 'vitest'
import { rollUp } from '../../features/outcomes/roll-up.ts'
import { ServiceSeats } from '../../features/outcomes/seats.ts'
import { cellOf, type Window } from '../../features/outcomes/window.ts'
import { writeRequest } from './remote-write.ts'
import { Moments, samplesOf } from './samples.ts'

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
  const series = samplesOf(rows(), new Moments('r')).filter(({ labels }) => new Map(labels).get('cut') === 'total')
  const told = series.map(({ labels, samples }) => [new Map(labels).get('figure'), samples])
  expect(told).toEqual([
    ['weight', [60, 61].map((second) => ({ ms: second * 1000, value: 2 }))],
    ['offered', [60, 61].map((second) => ({ ms: second * 1000, value: 2 }))],
    ['level', [60, 61].map((second) => ({ ms: second * 1000, value: 0 }))],
  ])
  for (const { labels } of series) {
    const names = labels.map(([name]) => name)
    expect(names).toEqual(names.toSorted())
    expect(labels.every(([, value]) => value !== '')).toBe(true)
  }
})

test('the request is what the specification of remote-write says, byte by byte', () => {
  const labels = [
    ['__name__', 'm'],
    ['a', '\ud800'],
  ] as const
  const body = Buffer.from(snappy.uncompress(writeRequest([{ labels, samples: [{ ms: 300, value: 1 }] }])))
  const name = `0a0d0a08${Buffer.from('__name__').toString('hex')}12016d`
  const other = '0a080a01611203efbfbd'
  const sample = '120c09000000000000f03f10ac02'
  expect(body.toString('hex')).toBe(`0a27${name}${other}${sample}`)
})
