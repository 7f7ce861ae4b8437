/** One thing to be measured. Asynchronous ones are awaited call by call, as their users must. */
export type Subject = (() => void) | (() => Promise<unknown>)

/**
 * Nanoseconds of CPU time that this thread has used: other processes on the machine do not count. Linux brings the account of a running thread up to
 * date once a tick, 4 ms, or when the whole process is asked for: without that a short round reads as a multiple of the tick.
 */
const cpuNs = (): number => {
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return (user + system) * 1_000
}

const isAsync = (subject: Subject): boolean => {
  const answer = subject()
  return answer instanceof Promise
}

const once = async (subject: Subject, asynchronous: boolean, calls: number): Promise<number> => {
  const from = cpuNs()
  if (asynchronous) for (let i = 0; i < calls; i++) await subject()
  else for (let i = 0; i < calls; i++) void subject()
  return (cpuNs() - from) / calls
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Nanoseconds of CPU time per call, by name: medians over `rounds`, the subjects taking turns within each so that a noisy moment hits all. */
export const measure = async <Name extends string>(
  subjects: Readonly<Record<Name, Subject>>,
  { rounds = 15, calls = 100_000 } = {},
): Promise<Record<Name, number>> => {
  const names = Object.keys(subjects) as Name[]
  const asynchronous = new Map(names.map((name) => [name, isAsync(subjects[name])]))
  const seen = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = -2; round < rounds; round++)
    for (const name of names) {
      const ns = await once(subjects[name], asynchronous.get(name) === true, calls)
      // The first two rounds warm up.
      if (round >= 0) seen.get(name)?.push(ns)
    }
  return Object.fromEntries(names.map((name) => [name, median(seen.get(name) ?? [])])) as Record<Name, number>
}
