import { describe } from 'vitest'
import { CLAIM_TIMING } from './claim-store.ts'
import { claimsContract } from './claims-contract.testkit.ts'
import { MemoryClaims } from './memory-claims.testkit.ts'

describe('claims in memory', () => {
  claimsContract(async () => {
    let nowMs = 0
    const store = new MemoryClaims(CLAIM_TIMING, () => nowMs)
    const idle = async (ms: number) => {
      nowMs += ms
    }
    const pass = async (ms: number) => {
      for (let left = ms; left > 0; left -= CLAIM_TIMING.turnMs) {
        nowMs += Math.min(left, CLAIM_TIMING.turnMs)
        await store.claim('somebody', null, [])
      }
    }
    return { store, timing: CLAIM_TIMING, pass, idle, lose: async () => store.lose() }
  })
})
