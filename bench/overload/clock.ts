const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Milliseconds of the machine's monotonic clock: the same in all processes of this machine. */
export const nowMs = (): number => performance.now() + offsetMs
