import { z } from 'zod'
import { type Letter, ReplicaPost } from '../../features/leases/replica-post.ts'
import { parsed } from './parsed.ts'
import type { RedisLink } from './redis-link.ts'

/** Letters to one replica wait so long for others, milliseconds, or until they are so many characters. */
const GATHER_MS = 20
const MOST_CHARACTERS = 262_144
/** Another version may write other letters: it does not hear this one, nor this one it. */
const VERSION = 1

interface Bag {
  readonly letters: string[]
  characters: number
}

/** Only replicas of this version write here, so their letters are believed. */
const bagSchema = z.object({ from: z.string(), letters: z.array(z.custom<Letter>()) })

/** One channel for each replica; letters go in bags, for a message costs more than what it says. */
export class RedisPost extends ReplicaPost {
  readonly #link: RedisLink
  readonly #replica: string
  readonly #bags = new Map<string, Bag>()

  constructor(link: RedisLink, replica: string) {
    super()
    this.#link = link
    this.#replica = replica
  }

  override send(to: string, letter: Letter): void {
    const text = JSON.stringify(letter)
    const bag = this.#bags.get(to) ?? this.#begin(to)
    bag.letters.push(text)
    bag.characters += text.length
    if (bag.characters >= MOST_CHARACTERS) this.#close(to)
  }

  override receive(handler: (from: string, letter: Letter) => void): () => void {
    return this.#link.listen(channelOf(this.#replica), (text) => {
      const bag = bagSchema.safeParse(parsed(text))
      if (bag.success) for (const letter of bag.data.letters) handler(bag.data.from, letter)
    })
  }

  #begin(to: string): Bag {
    const bag: Bag = { letters: [], characters: 0 }
    this.#bags.set(to, bag)
    setTimeout(() => {
      if (this.#bags.get(to) === bag) this.#close(to)
    }, GATHER_MS)
    return bag
  }

  #close(to: string): void {
    const bag = this.#bags.get(to)
    this.#bags.delete(to)
    if (bag === undefined) return
    const from = JSON.stringify(this.#replica)
    this.#link.publish(channelOf(to), `{"from":${from},"letters":[${bag.letters.join(',')}]}`)
  }
}

const channelOf = (replica: string): string => `post:${VERSION}:${replica}`
