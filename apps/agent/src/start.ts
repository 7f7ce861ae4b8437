import type { Settings } from './options.ts'
import { builtInOnly } from './policy/standing.ts'
import type { Disk, DiskSnapshot } from './source/disk.ts'

/** A disk that does not answer must not hold a start up: the control plane will. Loading code is outside the bound: a slow processor would lose its policy. */
const LOAD_WITHIN_MS = 1_000

/** What `work` brings, or `otherwise` after `ms`. */
export const within = async <T>(work: Promise<T>, ms: number, otherwise: T): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const bound = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise)
  })
  try {
    return await Promise.race([work, bound])
  } finally {
    clearTimeout(timer)
  }
}

/** Loaded by `start`, not by importing the agent: the schemas, where there is a control plane the socket, and where there is a bootstrap file YAML. */
export const load = async ({ link, bootstrapFile }: Settings, onError: (error: unknown) => void) => {
  /** Without a part that cannot be loaded the process runs on the next best. */
  const missing = (error: unknown): null => {
    onError(error)
    return null
  }
  const [reading, linked, bootstrap] = await Promise.all([
    import('./policy/state.ts').catch(missing),
    link === null ? null : import('./link.ts').catch(missing),
    bootstrapFile === null ? null : import('./source/bootstrap.ts').catch(missing),
  ])
  return {
    state: reading === null ? builtInOnly() : new reading.PolicyState(() => []),
    ControlLink: linked?.ControlLink ?? null,
    readBootstrap: bootstrap?.readBootstrap ?? null,
  }
}
export type Loaded = Awaited<ReturnType<typeof load>>

/** Fills the state from what is on this machine, the bootstrap file first, since the snapshot on disk beats it; returns the snapshot that is in force. */
export const loadLocal = async (
  { state, readBootstrap }: Loaded,
  settings: Settings,
  disk: Disk | null,
  onError: (error: unknown) => void,
): Promise<DiskSnapshot | null> => {
  const { bootstrapFile, environment, service } = settings
  const read = Promise.all([
    bootstrapFile === null ? null : readBootstrap?.(bootstrapFile, onError),
    disk?.load() ?? null,
  ])
  const found = await within(read, LOAD_WITHIN_MS, null)
  if (found === null)
    onError(new Error(`The disk did not answer within ${LOAD_WITHIN_MS} ms; what it has is not used.`))
  const [document = null, snapshot] = found ?? [null, null]
  if (document !== null) {
    const taken = state.offer({ source: 'bootstrap', identity: null, effective: { policy: document, quotas: {} } })
    if (taken.status === 'refused') onError(new Error(`${bootstrapFile} is not used: ${taken.refused[0]?.message}`))
  }
  if (snapshot === null) return null
  const foreign =
    (environment !== null && snapshot.environment !== null && snapshot.environment !== environment) ||
    (service !== null && snapshot.service !== null && snapshot.service !== service)
  if (foreign) {
    onError(new Error(`The snapshot on disk is of ${snapshot.environment}/${snapshot.service}; it is not used.`))
    return null
  }
  const settled = state.offer({ source: 'disk', identity: snapshot.identity, effective: snapshot.effective })
  if (settled.status !== 'refused') return snapshot
  onError(new Error(`The snapshot on disk is not used: ${settled.refused[0]?.message}`))
  return null
}
