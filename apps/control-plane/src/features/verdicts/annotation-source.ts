import type { Annotation } from '@weir/api'

export interface AnnotationsAsked {
  readonly environment: string
  readonly service: string | undefined
  readonly from: Date
  readonly to: Date
}

/** Most annotations of one answer: more marks than that are no marks. */
export const MOST_ANNOTATIONS = 200

/** What happened to services: publishes and alerts. */
export abstract class AnnotationSource {
  /** The newest first, at most `MOST_ANNOTATIONS`. */
  abstract between(asked: AnnotationsAsked): Promise<Annotation[]>
}
