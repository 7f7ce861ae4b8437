import type { TroubledDependency, Verdict, VerdictWord } from '@weir/api'
import { duration, milliseconds, plural, rate, share } from '../format/numbers.ts'
import { reasonTitle } from './reasons.ts'

export const VERDICT_TITLES: Readonly<Record<VerdictWord, string>> = {
  collapse: 'Collapse',
  silent: 'Silent',
  shedding: 'Controlled shedding',
  healthy: 'Healthy',
}

/** What happens, with the figures that say so. */
export const verdictSentence = (one: Verdict): string => {
  const { verdict, offered, goodput, goodputBefore, endedBadly, signs } = one
  if (verdict === 'silent') return silence(one)
  if (offered === 0 && goodput === 0) return 'No work is offered at its gates'
  if (verdict === 'healthy') return `${rate(goodput)} done in time, of ${rate(offered)} offered`
  if (verdict === 'shedding')
    return `Refuses ${share(one.refused / offered)} of ${rate(offered)}; goodput holds at ${rate(goodput)}`
  if (signs.includes('goodput-falls') && goodputBefore !== null)
    return `Goodput fell to ${rate(goodput)}; it was ${rate(goodputBefore)} with no more work than now`
  if (signs.includes('ends-badly'))
    return `${rate(endedBadly)} of the accepted work ends late or failed; goodput ${rate(goodput)}`
  return `Loses control: ${share(one.refused / offered)} of ${rate(offered)} refused, goodput ${rate(goodput)}`
}

const silence = ({ heardAt, service: { agents } }: Verdict): string => {
  if (heardAt === null && agents.live === 0) return 'No agent runs, nothing was heard for a quarter of an hour'
  if (agents.live > 0) return `${plural(agents.live, 'agent')} connected, but no figures come`
  return 'No figures come, and no agent is connected'
}

/** Where a part of the reason is looked into. */
export type Target =
  | { readonly kind: 'reason' | 'class' | 'tenant' }
  | { readonly kind: 'dependency'; readonly name: string }
  | { readonly kind: 'history' }
  | { readonly kind: 'agents' }

export interface Clause {
  readonly text: string
  readonly target: Target
}

/** A publish this near to the beginning is named with it, ms: buckets of ten seconds, and a little time to take effect. */
const BEFORE_MS = 20_000
const AFTER_MS = 12_000

/** The version whose publish the trouble began with; `null`: none. */
export const beganWith = ({ since, verdict, service: { publishedAt, policyVersion } }: Verdict): number | null => {
  if (since === null || publishedAt === null || verdict === 'healthy' || verdict === 'silent') return null
  const later = Date.parse(publishedAt) - Date.parse(since)
  return later <= AFTER_MS && later >= -BEFORE_MS ? policyVersion : null
}

const dependencyText = ({ name, meanMs, beforeMs, failedShare, breakersOpen }: TroubledDependency): string => {
  const slow =
    meanMs !== null && beforeMs !== null && meanMs >= 2 * beforeMs
      ? `answers in ${milliseconds(meanMs)}, before in ${milliseconds(beforeMs)}`
      : ''
  const open = breakersOpen > 0 ? 'breaker open' : ''
  const failing = failedShare >= 0.2 ? `${share(failedShare)} of the calls fail` : ''
  return `Dependency ${name}: ${[open, slow, failing].filter(Boolean).join(', ')}`
}

/** Why, whose and under which revision: each with the place that shows it. Worst first; nothing for what is well. */
export const verdictClauses = (one: Verdict): Clause[] => {
  const clauses: Clause[] = []
  const { reason, tenant, revision, dependency, highRefusedShare, signs, oldestAgeMs, service } = one
  const version = beganWith(one)
  if (version !== null)
    clauses.push({ text: `Began when version ${version} was published`, target: { kind: 'history' } })
  if (dependency !== null)
    clauses.push({ text: dependencyText(dependency), target: { kind: 'dependency', name: dependency.name } })
  if (one.verdict !== 'healthy') {
    if (reason !== null)
      clauses.push({ text: `${reasonTitle(reason.label)} ${share(reason.share)}`, target: { kind: 'reason' } })
    if (tenant !== null && tenant.label !== '')
      clauses.push({ text: `Tenant ${tenant.label} ${share(tenant.share)}`, target: { kind: 'tenant' } })
    if (one.class !== null)
      clauses.push({ text: `Class ${one.class.label} ${share(one.class.share)}`, target: { kind: 'class' } })
    if (revision !== null && version === null)
      clauses.push({ text: `Revision ${revision.label}`, target: { kind: 'history' } })
  }
  if (signs.includes('high-classes-refused') && highRefusedShare !== null)
    clauses.push({ text: `Critical work loses ${share(highRefusedShare)}`, target: { kind: 'class' } })
  if (signs.includes('queue-ages'))
    clauses.push({ text: `Queue grows old: ${duration(oldestAgeMs / 1_000)}`, target: { kind: 'reason' } })
  if (service.agents.refused > 0)
    clauses.push({
      text: `${plural(service.agents.refused, 'agent')} refused part of the policy`,
      target: { kind: 'agents' },
    })
  return clauses
}
