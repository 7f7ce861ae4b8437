import { RESOURCE } from '@weir/wire/model'
import type { Attribute } from '../../otlp/model.ts'
import type { Rejections } from './rejections.ts'
import type { TelemetryKey } from './telemetry-key.ts'

const MAX_ATTRIBUTES = 64
const MAX_TEXT_BYTES = 256

/** The label of a figure whose attribute was left out. */
export const NONE = 'none'

export interface Sender {
  readonly environment: string
  readonly service: string
  readonly instance: string
  readonly figures: 'metrics' | 'spans'
  /** Number of the window; `null` where the sender numbers none. */
  readonly numbered: { readonly boot: string; readonly sequence: number } | null
}

/** Whether a list of attributes keeps its bounds; `null` is well. */
export const attributeFault = (attributes: readonly Attribute[]): string | null => {
  if (attributes.length > MAX_ATTRIBUTES) return `more than ${MAX_ATTRIBUTES} attributes`
  for (const { key, value } of attributes) {
    const fault = textFault(key) ?? (typeof value === 'string' ? textFault(value) : null)
    if (fault !== null) return fault
  }
  return null
}

/** What nearly all texts are: shorter than the bound in any encoding, without a zero, without halves of surrogate pairs. */
const isPlain = (text: string): boolean => {
  if (text.length * 3 > MAX_TEXT_BYTES) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0 || (code & 0xf800) === 0xd800) return false
  }
  return true
}

const textFault = (text: string): string | null => {
  if (isPlain(text)) return null
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return `text longer than ${MAX_TEXT_BYTES} bytes`
  return text.includes('\0') || !text.isWellFormed() ? 'text that is no text' : null
}

/** Who sends, as far as the key lets it. `null`: nothing of it may be taken, which is told in `rejections` for `count` items. */
export const readResource = (
  attributes: readonly Attribute[],
  key: TelemetryKey,
  rejections: Rejections,
  count: number,
): Sender | null => {
  const fault = attributeFault(attributes)
  if (fault !== null) {
    rejections.add(`resource with ${fault}`, count)
    return null
  }
  const said = new Map(attributes.map(({ key: name, value }) => [name, value]))
  const text = (name: string): string | null => {
    const value = said.get(name)
    return value === undefined || value === null || value === '' ? null : String(value)
  }
  const environment = text(RESOURCE.environment) ?? key.environment
  const service = text(RESOURCE.service) ?? (key.services.length === 1 ? key.services[0] : undefined)
  if (service === undefined || !key.services.includes(service) || environment !== key.environment) {
    rejections.add(
      service === undefined ? 'no service.name' : 'a service or environment that the key does not speak for',
      count,
    )
    rejections.foreign += count
    return null
  }
  const boot = text(RESOURCE.boot)
  const sequence = Number(said.get(RESOURCE.sequence) ?? Number.NaN)
  return {
    environment,
    service,
    instance: text(RESOURCE.instance) ?? NONE,
    figures: said.get(RESOURCE.figures) === 'spans' ? 'spans' : 'metrics',
    numbered: boot !== null && Number.isSafeInteger(sequence) && sequence >= 0 ? { boot, sequence } : null,
  }
}
