import type { GatePolicy } from '@weir/policy/model'

type Refuse = (path: readonly PropertyKey[], message: string) => void

/** What a policy may ask of a gate and this agent cannot do yet: it does the nearest thing that it can, and says so. */
export const withoutUnsupported = (gate: GatePolicy, path: readonly PropertyKey[], refuse: Refuse): GatePolicy => {
  const { concurrency, classes, queue } = gate
  if (concurrency.algorithm !== 'fixed')
    refuse(
      [...path, 'concurrency', 'algorithm'],
      `This agent has no "${concurrency.algorithm}" limit; it keeps a fixed one of ${concurrency.initial}.`,
    )
  if (queue.order !== 'fifo')
    refuse([...path, 'queue', 'order'], `This agent has no "${queue.order}" order; it serves first-in first-out.`)
  if (Object.values(classes.reserves).some((share) => share > 0))
    refuse([...path, 'classes', 'reserves'], 'This agent keeps no reserves; it serves the classes in their order.')
  if (classes.topShareCap !== null)
    refuse([...path, 'classes', 'topShareCap'], 'This agent does not cap the share of the highest class.')
  for (const signal of Object.keys(gate.signals))
    refuse([...path, 'signals', signal], 'This agent does not read this signal; it is ignored.')
  return {
    ...gate,
    concurrency: { ...concurrency, algorithm: 'fixed' },
    queue: { ...queue, order: 'fifo' },
    classes: {
      ...classes,
      reserves: { 'critical-plus': 0, critical: 0, 'sheddable-plus': 0, sheddable: 0 },
      topShareCap: null,
    },
    signals: {},
  }
}
