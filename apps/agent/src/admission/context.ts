import { AsyncLocalStorage } from 'node:async_hooks'
import type { Criticality } from '@weir/policy/model'
import type { Permit } from './work.ts'

/** The work that the running code belongs to: what its calls to others may pass on. */
export interface CurrentWork {
  readonly gate: string
  /** As the host named it; `undefined` = no tenant. */
  readonly tenant: string | undefined
  /** After the policy's cap. */
  readonly criticality: Criticality
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Of the gate: its signal and its remaining time are the work's. */
  readonly permit: Permit
}

interface Held {
  readonly owner: object
  readonly work: CurrentWork
  readonly outer: Held | undefined
}

const storage = new AsyncLocalStorage<Held>()

/** The innermost work that is running here. */
export const currentWork = (): CurrentWork | undefined => storage.getStore()?.work

/** The permit by which the running code already holds a gate. */
export const heldPermit = (owner: object): Permit | undefined => {
  for (let held = storage.getStore(); held; held = held.outer) {
    if (held.owner === owner && held.work.permit.live) return held.work.permit
  }
  return undefined
}

/** Runs `fn` as part of the work. */
export const runAs = <T>(owner: object, work: CurrentWork, fn: () => T): T =>
  storage.run({ owner, work, outer: storage.getStore() }, fn)
