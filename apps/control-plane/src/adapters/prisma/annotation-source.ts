import { Injectable } from '@nestjs/common'
import { type Annotation, alertRuleNameSchema } from '@weir/api'
import { alertTitle } from '@weir/api/alert-texts'
import { AnnotationSource, type AnnotationsAsked, MOST_ANNOTATIONS } from '../../features/verdicts/annotation-source.ts'
import { Database } from './database.ts'

const WITH_SERVICE = { service: { select: { name: true } } } as const

/** Publishes and alerts as PostgreSQL has them. */
@Injectable()
export class PrismaAnnotationSource extends AnnotationSource {
  constructor(private readonly database: Database) {
    super()
  }

  override async between({ environment, service, from, to }: AnnotationsAsked): Promise<Annotation[]> {
    const { policyVersion, alert } = this.database.prisma
    const of = { environment: { name: environment }, ...(service === undefined ? {} : { name: service }) }
    const within = { gte: from, lte: to }
    const [versions, raised, resolved] = await Promise.all([
      policyVersion.findMany({
        where: { service: of, createdAt: within },
        orderBy: { createdAt: 'desc' },
        take: MOST_ANNOTATIONS,
        select: { version: true, author: true, reason: true, rolledBackTo: true, createdAt: true, ...WITH_SERVICE },
      }),
      alert.findMany({
        where: { service: of, raisedAt: within },
        orderBy: { raisedAt: 'desc' },
        take: MOST_ANNOTATIONS,
        select: { rule: true, subject: true, summary: true, raisedAt: true, ...WITH_SERVICE },
      }),
      alert.findMany({
        where: { service: of, resolvedAt: within },
        orderBy: { resolvedAt: 'desc' },
        take: MOST_ANNOTATIONS,
        select: { rule: true, subject: true, resolvedAt: true, ...WITH_SERVICE },
      }),
    ])
    const found: Annotation[] = [
      ...versions.map(({ version, author, reason, rolledBackTo, createdAt, service: { name } }) => ({
        at: createdAt.toISOString(),
        kind: 'published' as const,
        service: name,
        label: `v${version}`,
        detail:
          rolledBackTo === null ? `${author}: ${reason}` : `${author}, back to version ${rolledBackTo}: ${reason}`,
      })),
      ...raised.map(({ rule, subject, summary, raisedAt, service: { name } }) => ({
        at: raisedAt.toISOString(),
        kind: 'alert-raised' as const,
        service: name,
        label: 'alert',
        detail: `${titleOf(rule, subject)}: ${summary}`,
      })),
      ...resolved.flatMap(({ rule, subject, resolvedAt, service: { name } }) =>
        resolvedAt === null
          ? []
          : [
              {
                at: resolvedAt.toISOString(),
                kind: 'alert-resolved' as const,
                service: name,
                label: 'resolved',
                detail: `${titleOf(rule, subject)} was resolved`,
              },
            ],
      ),
    ]
    return found.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MOST_ANNOTATIONS)
  }
}

const titleOf = (rule: string, subject: string): string => alertTitle(alertRuleNameSchema.parse(rule), subject)
