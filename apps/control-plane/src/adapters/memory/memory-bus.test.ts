import { describe } from 'vitest'
import { busContract } from '../../features/bus-contract.testkit.ts'
import { MemoryBus } from './memory-bus.ts'

describe('the bus of a single replica', () => {
  busContract(async () => {
    const bus = new MemoryBus()
    return { near: bus, far: bus }
  })
})
