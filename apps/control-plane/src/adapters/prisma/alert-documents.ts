import { type AlertRulesDocument, alertRulesDocumentSchema } from '@weir/api'
import type { Database } from './database.ts'

const BUILT_IN = alertRulesDocumentSchema.parse({})

/** The newest alert rules of every environment, parsed once a version. */
export class AlertDocuments {
  readonly #known = new Map<string, { readonly version: number; readonly document: AlertRulesDocument }>()

  /** Rules by the environment's id; the built-in ones where nobody has written any. */
  async read({ prisma }: Database): Promise<(environmentId: string) => AlertRulesDocument> {
    const rows = await prisma.alertRules.findMany({
      distinct: ['environmentId'],
      orderBy: [{ environmentId: 'asc' }, { version: 'desc' }],
    })
    for (const { environmentId, version, document } of rows)
      if (this.#known.get(environmentId)?.version !== version)
        this.#known.set(environmentId, { version, document: alertRulesDocumentSchema.parse(document) })
    return (environmentId) => this.#known.get(environmentId)?.document ?? BUILT_IN
  }
}
