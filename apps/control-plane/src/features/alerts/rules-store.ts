import type { AlertRulesDocument, AlertRulesState } from '@weir/api'
import type { Expected } from '../expected.ts'
import type { Result } from '../result.ts'

export interface RulesEdit {
  readonly document: AlertRulesDocument
  readonly expected: Expected
  readonly author: string
  readonly reason: string
}

/** Alert rules of environments: immutable versions, the newest holds. */
export abstract class AlertRulesStore {
  /** Version 0 with the built-in rules where nobody has written any. */
  abstract get(environment: string): Promise<Result<AlertRulesState>>
  /** Refused: an override of a service that is not there, with its path. */
  abstract put(environment: string, edit: RulesEdit): Promise<Result<AlertRulesState>>
}

export const rulesTag = (version: number): string => `"alert-rules-${version}"`
