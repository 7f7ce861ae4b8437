import { expect, test } from 'vitest'
import { readConfig, StartRefused } from './config.ts'

const metrics = (OUTCOMES: string, more: Record<string, string> = {}) =>
  readConfig({ OUTCOMES, ...more }, '/srv').metrics

test('figures are in PostgreSQL unless an engine is named', () => {
  expect(readConfig({}, '/srv').metrics).toBeNull()
  expect(metrics('postgres')).toBeNull()
})

test('an engine is an address, with a user and another address to write to where they are given', () => {
  expect(metrics('prometheus:http://metrics:9090/')).toEqual({
    readUrl: 'http://metrics:9090',
    writeUrl: 'http://metrics:9090/api/v1/write',
    authorization: null,
  })
  expect(
    metrics('prometheus:https://weir:s%40cret@mimir/prometheus', { OUTCOMES_WRITE_URL: 'https://mimir/api/v1/push' }),
  ).toEqual({
    readUrl: 'https://mimir/prometheus',
    writeUrl: 'https://mimir/api/v1/push',
    authorization: `Basic ${btoa('weir:s@cret')}`,
  })
})

test.each([
  ['http://metrics:9090', {}, /^OUTCOMES: Write prometheus:http:/],
  ['prometheus:metrics:9090', {}, /^OUTCOMES: Write prometheus:http:/],
  ['prometheus:ftp://:hidden@metrics', {}, /^OUTCOMES: Write prometheus:http:/],
  ['prometheus:http://metrics?x=hidden', {}, /^OUTCOMES: A \? or #/],
  ['prometheus:http://a:%zz@metrics', {}, /^OUTCOMES: User and password/],
  ['prometheus:http://metrics', { OUTCOMES_WRITE_URL: 'metrics' }, /^OUTCOMES_WRITE_URL: Write http/],
  ['prometheus:http://metrics', { OUTCOMES_WRITE_URL: 'http://a:hidden@metrics' }, /^OUTCOMES_WRITE_URL: .*OUTCOMES/],
  ['postgres', { OUTCOMES_WRITE_URL: 'http://metrics' }, /^OUTCOMES_WRITE_URL goes with/],
])('%s %j is refused with a sentence, without its password', (setting, more, sentence) => {
  const read = () => metrics(setting, more)
  expect(read).toThrow(StartRefused)
  expect(read).toThrow(sentence)
  expect(read).not.toThrow(/hidden/)
})
