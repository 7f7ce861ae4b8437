/** A service by its names, as URLs and keys have it. */
export interface ServiceRef {
  readonly environment: string
  readonly service: string
}

/** Most environments of an installation, and services of one environment. */
export const CATALOG_BOUNDS = { environments: 200, services: 2_000 } as const
