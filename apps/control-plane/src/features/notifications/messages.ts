import { createHash } from 'node:crypto'
import type { Alert } from '@weir/api'
import { ALERT_TEXTS, alertTitle } from '@weir/api/alert-texts'

/** Time that is shown around an alert. */
const MARGIN_MS = 300_000

/** An alert as a message has it. */
export interface ToldAlert extends Alert {
  readonly title: string
  /** The page that shows it, at the time when it was. */
  readonly url: string
  readonly runbookUrl: string
}

export type Message =
  | {
      readonly kind: 'alerts'
      readonly id: string
      readonly environment: string
      readonly service: string
      readonly alerts: readonly ToldAlert[]
    }
  | {
      readonly kind: 'test'
      readonly id: string
      readonly environment: string
      readonly by: string
      readonly url: string
    }
  | { readonly kind: 'watchdog'; readonly id: string; readonly environment: string; readonly url: string }

export interface AlertWithRunbook {
  readonly alert: Alert
  /** Of the rule; `null`: the built-in one. */
  readonly runbook: string | null
}

/** Makes messages with links into the dashboard at `origin`. */
export class MessageWriter {
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin.replace(/\/$/, '')
  }

  /** One message for each service: its alerts are mostly one trouble. The same alerts in the same states have the same id, however often they are sent. */
  alerts(environment: string, all: readonly AlertWithRunbook[]): Extract<Message, { kind: 'alerts' }>[] {
    const groups = Map.groupBy(all, ({ alert }) => alert.service)
    return [...groups].map(([service, members]) => ({
      kind: 'alerts',
      id: idOf(members.map(({ alert }) => `${alert.id} ${alert.state}`).sort()),
      environment,
      service,
      alerts: members.map(({ alert, runbook }) => this.#told(environment, alert, runbook)),
    }))
  }

  test(environment: string, by: string, nowMs: number): Message {
    return { kind: 'test', id: idOf(['test', String(nowMs)]), environment, by, url: this.#alertsPage(environment) }
  }

  watchdog(environment: string, nowMs: number): Message {
    const url = this.#alertsPage(environment)
    return { kind: 'watchdog', id: idOf(['watchdog', environment, String(nowMs)]), environment, url }
  }

  #told(environment: string, alert: Alert, runbook: string | null): ToldAlert {
    return {
      ...alert,
      title: alertTitle(alert.rule, alert.subject),
      url: this.#figures(environment, alert),
      runbookUrl: runbook ?? `${this.#alertsPage(environment)}?runbook=${alert.rule}`,
    }
  }

  #figures(environment: string, alert: Alert): string {
    const { about } = ALERT_TEXTS[alert.rule]
    const page = `${this.#origin}/e/${encodeURIComponent(environment)}/s/${encodeURIComponent(alert.service)}`
    if (about === 'service') return `${page}/agents`
    const raised = Date.parse(alert.raisedAt)
    const ended = alert.resolvedAt === null ? raised : Date.parse(alert.resolvedAt)
    const search = new URLSearchParams({
      from: new Date(raised - alert.forSeconds * 1_000 - MARGIN_MS).toISOString(),
      to: new Date(ended + MARGIN_MS).toISOString(),
      ...(about === 'gate' ? { gate: alert.subject } : {}),
    })
    return `${page}?${search}`
  }

  #alertsPage(environment: string): string {
    return `${this.#origin}/e/${encodeURIComponent(environment)}/alerts`
  }
}

const idOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
