import { randomUUID } from 'node:crypto'
import {
  CLAIM_TIMING,
  type ClaimAsked,
  type Claimed,
  ClaimStore,
  type ClaimTiming,
  quietMs,
} from '../../features/leases/claim-store.ts'
import type { RedisLink } from './redis-link.ts'

/** Books that nobody claims any more are forgotten. */
const KEPT_MS = 86_400_000

/**
 * Redis' own clock only. The memory is another one where the key is missing (emptied), was written by another server or another life of it (`run_id`; a
 * snapshot of earlier has it too), or where the clock went back or further than nobody called for.
 * KEYS: the memory, then the books. ARGV: replica, memory that it knows, a name for a new one, claim, spare, quiet, kept (ms), then 1 or 0 for each book.
 */
const CLAIM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local known = redis.call('HMGET', KEYS[1], 'memory', 'run', 'at', 'quiet')
local memory, at, quiet = known[1], tonumber(known[3] or 0), tonumber(known[4] or 0)
if not memory or known[2] ~= run or now < at or now - at > tonumber(ARGV[5]) then
  memory, quiet = ARGV[3], now + tonumber(ARGV[6])
end
redis.call('HSET', KEYS[1], 'memory', memory, 'run', run, 'at', now, 'quiet', quiet)
local answer = { memory }
for i = 2, #KEYS do
  local record = redis.call('HMGET', KEYS[i], 'owner', 'until', 'memory')
  local there = record[3] == memory
  local proved = ARGV[6 + i] == '1' and ARGV[2] == memory
  local owner = ''
  if there and record[1] ~= ARGV[1] and now < tonumber(record[2]) then
    owner = record[1]
  elseif there or now >= quiet or proved then
    owner = ARGV[1]
    redis.call('HSET', KEYS[i], 'owner', owner, 'until', now + tonumber(ARGV[4]) + tonumber(ARGV[5]), 'memory', memory)
    redis.call('PEXPIRE', KEYS[i], ARGV[7])
  end
  answer[i] = owner
end
return answer`

/** KEYS: the books. ARGV: replica. */
const RELEASE = `
for i = 1, #KEYS do
  if redis.call('HGET', KEYS[i], 'owner') == ARGV[1] then redis.call('HSET', KEYS[i], 'until', 0) end
end
return 0`

/** Claims in Redis: each call is one script, so that nothing comes between; all keys are in one slot of a cluster. */
export class RedisClaims extends ClaimStore {
  readonly #link: RedisLink
  readonly #timing: ClaimTiming

  constructor(link: RedisLink, timing: ClaimTiming = CLAIM_TIMING) {
    super()
    this.#link = link
    this.#timing = timing
  }

  override async claim(replica: string, memory: string | null, asked: readonly ClaimAsked[]): Promise<Claimed> {
    const { claimMs, spareMs } = this.#timing
    const keys = [this.#link.named('claims'), ...asked.map(({ book }) => this.#key(book))]
    const told = [replica, memory ?? '', randomUUID(), claimMs, spareMs, Math.ceil(quietMs(this.#timing)), KEPT_MS]
    const owns = asked.map((each) => (each.owns ? 1 : 0))
    const answer = await this.#link.commands.eval(CLAIM, keys.length, ...keys, ...told, ...owns)
    if (!Array.isArray(answer) || answer.length !== keys.length)
      throw new Error('Redis answered a claim with something else.')
    const [named, ...owners] = answer.map(String)
    return { memory: named ?? '', owners: owners.map((owner) => (owner === '' ? null : owner)) }
  }

  override async release(replica: string, books: readonly string[]): Promise<void> {
    if (books.length === 0) return
    await this.#link.commands.eval(RELEASE, books.length, ...books.map((book) => this.#key(book)), replica)
  }

  #key(book: string): string {
    return this.#link.named(`book:${book}`)
  }
}
