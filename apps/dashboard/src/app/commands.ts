import type { VerdictWord } from '@weir/api'
import { VERDICT_TITLES } from '../outcomes/verdict-words.ts'

/** What the command bar offers: where it leads, or what it does. */
export interface Command {
  readonly id: string
  readonly group: 'Services' | 'Gates' | 'Dependencies' | 'Tenants' | 'Pages' | 'Actions'
  readonly label: string
  readonly hint?: string
  /** Address of the page; `null`: an action, known by its id. */
  readonly to: string | null
}

export interface Known {
  readonly environment: string | undefined
  /** Whose page is looked at. */
  readonly service: string | undefined
  readonly services: readonly { readonly name: string; readonly verdict: VerdictWord }[]
  /** `orders/checkout` */
  readonly gates: readonly string[]
  readonly dependencies: readonly string[]
  readonly tenants: readonly string[]
  readonly admin: boolean
}

const part = encodeURIComponent

const pagesOf = ({ environment, service, admin }: Known): Command[] => {
  const pages: Command[] = []
  const page = (label: string, to: string, hint?: string) =>
    pages.push({ id: `page ${to}`, group: 'Pages', label, to, ...(hint === undefined ? {} : { hint }) })
  if (environment !== undefined) {
    const at = `/e/${part(environment)}`
    page('Overview', at, 'g o')
    page('Agents', `${at}/agents`, 'g a')
    page('Alerts', `${at}/alerts`, 'g l')
    if (service !== undefined)
      for (const [label, path] of [
        ['Figures', ''],
        ['Policy', '/policy'],
        ['History', '/history'],
        ['Quotas', '/quotas'],
        ['Agents', '/agents'],
      ] as const)
        page(`${label} of ${service}`, `${at}/s/${part(service)}${path}`)
  }
  if (admin) page('Access', '/access/keys')
  return pages
}

const ACTIONS: readonly Command[] = [
  { id: 'zone', group: 'Actions', label: 'Switch between local time and UTC', hint: 'u', to: null },
  { id: 'light', group: 'Actions', label: 'Light theme', to: null },
  { id: 'dark', group: 'Actions', label: 'Dark theme', to: null },
  { id: 'help', group: 'Actions', label: 'Keyboard shortcuts', hint: '?', to: null },
]

/** `orders/checkout`: its service and its name. */
const split = (label: string): readonly [service: string, name: string] => {
  const at = label.indexOf('/')
  return [label.slice(0, at), label.slice(at + 1)]
}

const placesOf = ({ environment, service, services, gates, dependencies, tenants }: Known): Command[] => {
  if (environment === undefined) return []
  const at = (name: string) => `/e/${part(environment)}/s/${part(name)}`
  return [
    ...services.map(
      ({ name, verdict }): Command => ({
        id: `service ${name}`,
        group: 'Services',
        label: name,
        hint: VERDICT_TITLES[verdict],
        to: at(name),
      }),
    ),
    ...gates
      .filter((label) => label.includes('/'))
      .map((label): Command => {
        const [of, name] = split(label)
        return { id: `gate ${label}`, group: 'Gates', label: name, hint: of, to: `${at(of)}/gates/${part(name)}` }
      }),
    ...dependencies
      .filter((label) => label.includes('/'))
      .map((label): Command => {
        const [of, name] = split(label)
        return {
          id: `dependency ${label}`,
          group: 'Dependencies',
          label: name,
          hint: `called by ${of}`,
          to: `${at(of)}/dependencies/${part(name)}`,
        }
      }),
    ...(service === undefined ? [] : tenants).map(
      (name): Command => ({
        id: `tenant ${name}`,
        group: 'Tenants',
        label: name,
        hint: `quota in ${service}`,
        to: `${at(service ?? '')}/quotas?search=${part(name)}`,
      }),
    ),
  ]
}

const MOST_OF_A_GROUP = 7

/** What fits the text, each group in its order and bounded: every word of the text must occur. */
export const commandsFor = (known: Known, text: string): Command[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ label, hint, group }: Command): boolean => {
    const all = `${label} ${hint ?? ''} ${group}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
  const counts = new Map<Command['group'], number>()
  return [...placesOf(known), ...pagesOf(known), ...ACTIONS].filter((command) => {
    if (!fits(command)) return false
    const count = (counts.get(command.group) ?? 0) + 1
    counts.set(command.group, count)
    return count <= MOST_OF_A_GROUP
  })
}
