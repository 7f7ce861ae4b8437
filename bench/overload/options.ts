import { parseArgs } from 'node:util'

export interface Options {
  readonly quick: boolean
  readonly seed: number
  /** By name; empty = all. */
  readonly scenarios: readonly string[]
  /** Where pictures and results go; `null` = nowhere. */
  readonly out: string | null
  readonly help: boolean
}

/** Where the full form writes. */
const PROOF = new URL('../../docs/proof', import.meta.url).pathname

export const USAGE = (names: readonly string[]): string => `npm run overload [-- options]

Drives services past their capacity, holds them there and lets go, without Weir and with it.

  --scenario NAME   only this one; may be given several times. One of: ${names.join(', ')}
  --quick           shorter and smaller, some scenarios only, writes nothing unless --out says where
  --seed N          of the arrivals; a whole number, default 1
  --out FOLDER      for pictures and results; default docs/proof
`

/** @throws {TypeError} with a sentence, for a flag that there is not or that makes no sense. */
export const readOptions = (args: readonly string[], names: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', multiple: true },
      quick: { type: 'boolean' },
      seed: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const { scenario = [], quick = false, seed = '1', out, help = false } = values
  for (const name of scenario)
    if (!names.includes(name)) throw new TypeError(`There is no scenario "${name}". There are: ${names.join(', ')}.`)
  if (!/^\d{1,9}$/.test(seed)) throw new TypeError(`--seed must be a whole number; it is "${seed}".`)
  if (out === '') throw new TypeError('--out must name a folder.')
  return { quick, seed: Number(seed), scenarios: scenario, out: out ?? (quick ? null : PROOF), help }
}
