import { RedisClaims } from '../adapters/redis/redis-claims.ts'
import type { RedisLink } from '../adapters/redis/redis-link.ts'
import { RedisPost } from '../adapters/redis/redis-post.ts'
import type { OwnBooks } from '../features/leases/own-books.ts'
import { SharedBooks } from '../features/leases/shared-books.ts'

/** Injection token of the books that replicas share; `null` where there is one replica, which keeps them all. */
export const SHARED_BOOKS = Symbol('shared books')

export const sharedBooks = (own: OwnBooks, link: RedisLink | null, replica: string): SharedBooks | null =>
  link === null
    ? null
    : new SharedBooks({
        own,
        replica,
        post: new RedisPost(link, replica),
        store: new RedisClaims(link),
        monotonicMs: () => performance.now(),
      })
