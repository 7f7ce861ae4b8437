import { isIP } from 'node:net'

/** `address/prefix`; a lone address is its own range. */
export interface AddressRange {
  readonly address: string
  readonly prefix: number
}

/** `null`: not one. */
export const rangeOf = (text: string): AddressRange | null => {
  const [address = '', prefix, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return null
  const most = family === 4 ? 32 : 128
  const bits = prefix === undefined ? most : Number(prefix)
  return /^\d+$/.test(prefix ?? '0') && bits <= most ? { address, prefix: bits } : null
}
