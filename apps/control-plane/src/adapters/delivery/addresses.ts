import { BlockList, isIP } from 'node:net'
import { type AddressRange, rangeOf } from '../../config/address-range.ts'

/** What is not the public internet (IANA's special-purpose registries). IPv6 outside 2000::/3 is not public either, mapped IPv4 included. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** Within 2000::/3: protocol assignments, documentation, and 6to4, which hides an IPv4 address. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const listOf = (ranges: readonly AddressRange[]): BlockList => {
  const list = new BlockList()
  for (const { address, prefix } of ranges) list.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return list
}
const known = (texts: readonly string[]): BlockList => listOf(texts.map(rangeOf).filter((range) => range !== null))

const special = known([...SPECIAL_V4, ...SPECIAL_V6])
const global6 = known(['2000::/3'])
const mapped = known(['::ffff:0:0/96'])

const within = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Says of an address whether messages may go there: `public`, `allowed` by the environment, or `no`. */
export class AddressBook {
  readonly #allowed: BlockList

  constructor(allowed: readonly AddressRange[]) {
    this.#allowed = listOf(allowed)
  }

  vet(address: string): 'public' | 'allowed' | 'no' {
    if (within(this.#allowed, address)) return 'allowed'
    if (isIP(address) === 6 && (within(mapped, address) || !within(global6, address))) return 'no'
    return isIP(address) === 0 || within(special, address) ? 'no' : 'public'
  }
}
