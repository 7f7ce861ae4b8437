import { createHmac } from 'node:crypto'
import type { Alert } from '@weir/api'
import type { Parcel, Target } from './courier.ts'
import type { Message, ToldAlert } from './messages.ts'

/** Alertmanager ends what it has not heard of for so long: four times as long as it takes to hear again. */
export const RESEND_SECONDS = 60
const ENDS_AFTER_MS = 4 * RESEND_SECONDS * 1_000

/** How each kind of receiver wants a message. `nowMs`: when it is sent. */
export const parcelOf = (target: Target, message: Message, nowMs: number): Parcel => {
  if (target.kind === 'alertmanager') return http('/api/v2/alerts', alertmanager(message, nowMs), bearer(target))
  if (target.kind === 'webhook') return signed(target, message, nowMs)
  if (target.kind === 'slack') return http('', { text: plain(message, slackEscaped) })
  return { kind: 'email', subject: subject(message), text: plain(message, (text) => text), messageId: message.id }
}

const http = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Parcel => ({
  kind: 'http',
  path,
  body: JSON.stringify(body),
  headers,
})

const bearer = ({ secret }: Target): Record<string, string> =>
  secret === null ? {} : { authorization: `Bearer ${secret}` }

/** `weir-signature: v1=` hex of HMAC-SHA256 with the secret over `timestamp.body`; the timestamp is in seconds, so that an old one can be told. */
const signed = (target: Target, message: Message, nowMs: number): Parcel => {
  const body = JSON.stringify({ version: 1, ...message })
  const timestamp = String(Math.floor(nowMs / 1_000))
  const signature = createHmac('sha256', target.secret ?? '')
    .update(`${timestamp}.${body}`)
    .digest('hex')
  const headers = { 'weir-timestamp': timestamp, 'weir-signature': `v1=${signature}`, 'weir-delivery': message.id }
  return { kind: 'http', path: '', body, headers }
}

/** `sustained-shedding`: WeirSustainedShedding. */
const alertName = (rule: string): string =>
  `Weir${rule
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('')}`

/** The labels are what Alertmanager knows an alert by: nothing in them changes while it fires. */
const alertmanager = (message: Message, nowMs: number): object[] => {
  const endsAt = new Date(nowMs + ENDS_AFTER_MS).toISOString()
  if (message.kind !== 'alerts') {
    const summary =
      message.kind === 'test' ? `A test by ${message.by}.` : 'Alerts are judged. Where this ends they are not.'
    const labels = { alertname: alertName(message.kind), environment: message.environment, severity: 'info' }
    const ends = message.kind === 'test' ? new Date(nowMs + RESEND_SECONDS * 1_000).toISOString() : endsAt
    return [{ labels, annotations: { summary }, endsAt: ends, generatorURL: message.url }]
  }
  return message.alerts.map((alert) => ({
    labels: {
      alertname: alertName(alert.rule),
      environment: message.environment,
      service: alert.service,
      severity: alert.severity,
      ...(alert.subject === '' ? {} : { subject: alert.subject }),
    },
    annotations: { summary: alert.summary, title: alert.title, runbook_url: alert.runbookUrl },
    startsAt: alert.raisedAt,
    endsAt: alert.resolvedAt ?? endsAt,
    generatorURL: alert.url,
  }))
}

const slackEscaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '')

const stateWord = ({ state, severity }: Alert): string => (state === 'firing' ? severity.toUpperCase() : 'RESOLVED')

const paragraph = (alert: ToldAlert, escaped: (text: string) => string): string => {
  const times = alert.resolvedAt === null ? `since ${alert.raisedAt}` : `from ${alert.raisedAt} to ${alert.resolvedAt}`
  const lines = [
    `${stateWord(alert)}: ${alert.title}, ${times}`,
    alert.summary,
    `Figures: ${alert.url}`,
    `What to do: ${alert.runbookUrl}`,
  ]
  return lines.map(escaped).join('\n')
}

const plain = (message: Message, escaped: (text: string) => string): string => {
  if (message.kind === 'test')
    return escaped(`A test by ${message.by}, of ${message.environment}. Nothing is wrong.\n${message.url}`)
  if (message.kind === 'watchdog') return escaped(`The alerts of ${message.environment} are judged.\n${message.url}`)
  const head = escaped(`${message.service} in ${message.environment}`)
  return [head, ...message.alerts.map((alert) => paragraph(alert, escaped))].join('\n\n')
}

const subject = (message: Message): string => {
  if (message.kind === 'test') return `[Weir] Test of ${message.environment}`
  if (message.kind === 'watchdog') return `[Weir] Alerts of ${message.environment} are judged`
  const [first, ...others] = message.alerts
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `[Weir] ${first === undefined ? '' : `${stateWord(first)}: ${first.title}`}${more}, ${message.service} in ${message.environment}`
}
