import { createHmac } from 'node:crypto'
import type { FigureAttributes, FigureSink } from '../core/figures.ts'
import type { Sample, SampleStart } from '../core/sampling.ts'

/** Names that are remembered: a gate tells fifty apart in each window. */
const REMEMBERED = 1_024
const DIGITS = 16
/** Labels that are nobody's name. */
const NOBODY = new Set(['none', 'other', ''])

/**
 * Tenants by a hash instead of their names, wherever figures and spans leave the process: `t-` and 64 bits, hex, of HMAC-SHA256 by a key that all processes of an
 * environment share, so that one tenant is one label everywhere and nobody without the key can try names. Quotas and decisions in the process know the names.
 */
export class TenantNames {
  readonly #key: string
  readonly #known = new Map<string, string>()

  constructor(key: string) {
    this.#key = key
  }

  told(tenant: string): string {
    if (NOBODY.has(tenant)) return tenant
    const known = this.#known.get(tenant)
    if (known !== undefined) return known
    const digest = createHmac('sha256', this.#key).update('weir tenant 1\n').update(tenant).digest('hex')
    if (this.#known.size >= REMEMBERED) this.#known.clear()
    const name = `t-${digest.slice(0, DIGITS)}`
    this.#known.set(tenant, name)
    return name
  }

  /** A sink that sees no names. */
  readonly sink = (sink: FigureSink): FigureSink => {
    const hashed = (attributes: FigureAttributes): FigureAttributes =>
      attributes.tenant === undefined ? attributes : { ...attributes, tenant: this.told(String(attributes.tenant)) }
    return {
      counter: (name, delta, attributes) => sink.counter(name, delta, hashed(attributes)),
      gauge: (name, value, attributes) => sink.gauge(name, value, hashed(attributes)),
      histogram: (name, counts, sum, attributes) => sink.histogram(name, counts, sum, hashed(attributes)),
    }
  }

  /** Samples that say no names. */
  readonly begin =
    (begin: (start: SampleStart) => Sample) =>
    (start: SampleStart): Sample =>
      begin(start.tenant === null ? start : { ...start, tenant: this.told(start.tenant) })
}
