import type { createSilenceSchema, Silence } from '@weir/api'
import type { z } from 'zod'
import type { PageRequest, Rows } from '../paging.ts'
import type { Result } from '../result.ts'

export type SilenceEdit = z.output<typeof createSilenceSchema>

/** Silences of one environment that are not over. */
export const MOST_SILENCES = 500

export interface SilencePlace {
  readonly to: string
  readonly id: string
}

/** Silences and maintenance windows; they are ended, never removed. */
export abstract class SilenceStore {
  /** What ends last first: active, planned, then ended ones. */
  abstract list(environment: string, page: PageRequest<SilencePlace>): Promise<Result<Rows<Silence>>>
  abstract create(environment: string, edit: SilenceEdit, author: string): Promise<Result<Silence>>
  /** Ends it now; one that is over stays as it is. */
  abstract end(environment: string, id: string, actor: string): Promise<Result<Silence>>
}
