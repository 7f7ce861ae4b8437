import type { Alert, AlertMatchers } from '@weir/api'

const means = <T>(list: readonly T[], one: T): boolean => list.length === 0 || list.includes(one)

/** Whether these mean that alert; an empty list is any. The database has the same in `alert_meant`. */
export const matches = (
  { services, rules, severities }: AlertMatchers,
  { service, rule, severity }: Pick<Alert, 'service' | 'rule' | 'severity'>,
): boolean => means(services, service) && means(rules, rule) && means(severities, severity)
