import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { policyQuery, reportedQuery } from '../../api/queries.ts'
import { standingOf } from '../../outcomes/known.ts'
import type { Subject } from '../../outcomes/subject.ts'
import { useOutcomes } from '../../outcomes/use-history.ts'
import { MINUTES } from './spread.tsx'

/** The rule that the published policy has for it. The reader of policies comes when it is needed. */
export const useRule = (environment: string, service: string, { kind, name }: Subject) => {
  const policy = useQuery(policyQuery(environment, service))
  const published = policy.data?.data.published
  const rule = useQuery({
    queryKey: ['rule', environment, service, kind, name, published?.version ?? 0],
    queryFn: async () => (await import('../../policy/rule.ts')).ruleOf(published?.document ?? '', kind, name),
    enabled: policy.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })
  return { published, data: rule.data, error: policy.error ?? rule.error, refetch: () => void policy.refetch() }
}

/** Everybody who could know it: live agents, the policy, figures of the last minutes. Which others there are, and whether there is this one. */
export const useSubject = (environment: string, service: string, subject: Subject) => {
  const { kind, name } = subject
  const said = useQuery(reportedQuery(environment, service))
  const rule = useRule(environment, service, subject)
  const heard = useOutcomes(environment, { service, kind, groupBy: 'gate', step: 10 }, MINUTES, { again: true })
  const of = kind === 'gate' ? 'gates' : 'dependencies'
  const reported = said.data?.[of].map((one) => one.name)
  const ruled = rule.data === null ? [] : rule.data?.[of]
  const counted = heard.data?.series.map(({ label }) => label)
  /** Who cannot be asked cannot say that there is none: the page then shows what failed. */
  const failed = said.error !== null || rule.error !== null || heard.error !== null
  const standing = standingOf(name, [reported, ruled, counted])
  const names = [...new Set([...(reported ?? []), ...(ruled ?? []), ...(counted ?? [])])].sort()
  return {
    names,
    rule,
    /** What live agents report of it, in sum. */
    gate: kind === 'gate' ? said.data?.gates.find((one) => one.name === name) : undefined,
    dependency: kind === 'dependency' ? said.data?.dependencies.find((one) => one.name === name) : undefined,
    standing: standing === 'asking' && failed ? ('known' as const) : standing,
  }
}
