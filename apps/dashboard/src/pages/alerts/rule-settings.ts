import type { AlertRule, AlertRuleName } from '@weir/api'
import { ALERT_TEXTS, type AlertUnit } from '@weir/api/alert-texts'
import { milliseconds, share } from '../../format/numbers.ts'

/** A rule as a form sees it: its own settings by name. */
export type Settings = Readonly<Record<string, number>>

export const settingsOf = (name: AlertRuleName, rule: AlertRule): Settings => {
  const values = rule as unknown as Readonly<Record<string, number>>
  return Object.fromEntries(Object.keys(ALERT_TEXTS[name].settings).map((key) => [key, values[key] ?? 0]))
}

/** Shares are typed as per cent. */
export const shown = (unit: AlertUnit, value: number): number =>
  unit === 'share' ? Math.round(value * 10_000) / 100 : value
export const typed = (unit: AlertUnit, value: number): number => (unit === 'share' ? value / 100 : value)
export const unitWord: Readonly<Record<AlertUnit, string>> = { share: '%', ms: 'ms', s: 's' }

/** The threshold of a rule, in words. */
export const settingText = (name: AlertRuleName, rule: AlertRule): string => {
  const { settings } = ALERT_TEXTS[name]
  return Object.entries(settingsOf(name, rule))
    .filter(([key]) => key !== 'windowSeconds')
    .map(([key, value]) => {
      const { label, unit } = settings[key] ?? { label: key, unit: 'share' }
      return `${label.toLowerCase()}: ${unit === 'ms' ? milliseconds(value) : share(value)}`
    })
    .join('; ')
}
