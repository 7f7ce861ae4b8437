/** Writes `docs/reference` from the tables of the code; a test proves that what is committed equals them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { ALERT_RULE_NAMES, alertRulesDocumentSchema, PROBLEM_CODES } from '@weir/api'
import { ALERT_TEXTS } from '@weir/api/alert-texts'
import { jsonSchema } from '@weir/policy'
import {
  ATTRIBUTES,
  BAGGAGE_PREFIX,
  CLOSE,
  DEPENDENCY_REASONS,
  DURATION_BOUNDS_S,
  GATE_REASONS,
  HEADERS,
  MESSAGES,
  METRICS,
  RESOURCE,
  SPAN_ATTRIBUTES,
  SPANS,
} from '@weir/wire'

const table = (head: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(String).join(' | ')} |`).join('\n')
const code = (text: unknown): string => `\`${String(text)}\``
const page = (title: string, ...parts: readonly string[]): string => `# ${title}\n\n${parts.join('\n\n')}\n`

const metrics = (): string =>
  page(
    'Metrics',
    'What an agent exports over OTLP. Counters are delta and exact. Histogram bounds are in seconds.',
    table(
      ['name', 'kind', 'unit', 'attributes', 'what'],
      Object.entries(METRICS).map(([name, row]) => [
        code(name),
        row.kind,
        row.unit,
        row.attributes.map((attribute) => code(ATTRIBUTES[attribute])).join(', '),
        row.description,
      ]),
    ),
    `Bounds of every duration: ${DURATION_BOUNDS_S.join(', ')}.`,
    '## Resource attributes',
    Object.values(RESOURCE)
      .map((name) => `- ${code(name)}`)
      .join('\n'),
  )

const spans = (): string =>
  page(
    'Spans',
    'What an agent tells of sampled work: at most ten spans a second and process, refusals among them, chosen before the work begins; beside them some refusals, the first ones of each second, so that a rare one has its reasons told too. Figures are never reckoned from them: the exact ones are in the metrics.',
    table(
      ['span', 'what'],
      Object.values(SPANS).map(({ name, description }) => [code(name), description]),
    ),
    '## Attributes',
    table(
      ['name', 'what'],
      Object.values(SPAN_ATTRIBUTES).map(({ name, description }) => [code(name), description]),
    ),
  )

const ruleOf = ({ rule }: { rule: string | null }): string => (rule === null ? '' : code(rule))
const reasons = (): string =>
  page(
    'Reasons of a refusal',
    'A refusal says one of three things: **elsewhere** (this replica is busy, another may not be), **later** (wait), **stop** (a retry cannot help). The words are stable.',
    '## Gates',
    table(
      ['reason', 'status', 'signal', 'booked as', 'setting that decides', 'what'],
      Object.entries(GATE_REASONS).map(([name, row]) => [
        code(name),
        row.status,
        row.signal,
        row.expired ? 'expired' : 'shed',
        ruleOf(row),
        row.title,
      ]),
    ),
    '## Dependencies',
    table(
      ['reason', 'signal', 'setting that decides', 'what'],
      Object.entries(DEPENDENCY_REASONS).map(([name, row]) => [code(name), row.signal, ruleOf(row), row.title]),
    ),
  )

const wire = (): string =>
  page(
    'Headers, close codes, error codes',
    '## Headers',
    `Each also travels as W3C baggage with the prefix ${code(BAGGAGE_PREFIX)}.`,
    table(
      ['what', 'header'],
      Object.entries(HEADERS).map(([name, header]) => [name, code(header)]),
    ),
    '## Messages of the agent socket',
    'JSON text frames, sub-protocol `weir.v1`. Durations only: clocks of two machines are not compared.',
    table(
      ['type', 'from', 'what'],
      Object.entries(MESSAGES).map(([type, { from, what }]) => [code(type), from, what]),
    ),
    '## Close codes of the agent socket',
    table(
      ['why', 'code'],
      Object.entries(CLOSE).map(([name, number]) => [name, number]),
    ),
    '## Error codes of REST',
    'Errors are `application/problem+json` (RFC 9457) with `code` and, for bad input, `errors[{path, message}]`.',
    table(
      ['code', 'status'],
      Object.entries(PROBLEM_CODES).map(([name, status]) => [code(name), status]),
    ),
  )

const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n')

const alerts = (): string => {
  const { rules } = alertRulesDocumentSchema.parse({})
  const settings = (name: (typeof ALERT_RULE_NAMES)[number]) =>
    Object.entries(rules[name])
      .filter(([key]) => key !== 'enabled')
      .map(([key, value]) => code(`${key}: ${value}`))
      .join(', ')
  return page(
    'Alert rules',
    'The built-in rules, with what they are set to where nothing else is said, and what to do.',
    table(
      ['rule', 'about', 'raised when', 'built-in settings'],
      ALERT_RULE_NAMES.map((name) => [code(name), ALERT_TEXTS[name].about, ALERT_TEXTS[name].when, settings(name)]),
    ),
    ...ALERT_RULE_NAMES.flatMap((name) => {
      const { title, runbook } = ALERT_TEXTS[name]
      return [`## ${title}`, runbook.means, 'Look at:', list(runbook.look), 'Then:', list(runbook.act)]
    }),
  )
}

/** Every file of `docs/reference`, by name. */
export const reference = (): Record<string, string> => ({
  'metrics.md': metrics(),
  'spans.md': spans(),
  'reasons.md': reasons(),
  'wire.md': wire(),
  'alerts.md': alerts(),
  'policy.schema.json': `${JSON.stringify(jsonSchema(), null, 2)}\n`,
})

export const referenceFile = (name: string): URL => new URL(`../docs/reference/${name}`, import.meta.url)

/** What is committed, `undefined` where there is none. */
export const committed = (name: string): string | undefined => {
  try {
    return readFileSync(referenceFile(name), 'utf8')
  } catch {
    return undefined
  }
}

if (import.meta.main) for (const [name, text] of Object.entries(reference())) writeFileSync(referenceFile(name), text)
