import type { GateReport } from '@weir/wire/model'
import type { FigureSink } from '../core/figures.ts'

/** A gate's state as figures. */
export const gaugesOf = (report: GateReport, deferring: number, sink: FigureSink): void => {
  const attributes = { gate: report.name }
  sink.gauge('weir.gate.limit', report.limit, attributes)
  sink.gauge('weir.gate.active', report.active, attributes)
  sink.gauge('weir.gate.zombies', report.zombies, attributes)
  sink.gauge('weir.gate.waiting', report.waiting, attributes)
  sink.gauge('weir.gate.deferring', deferring, attributes)
  sink.gauge('weir.gate.queue.oldest_age', report.oldestAgeMs / 1_000, attributes)
  sink.gauge('weir.gate.level', report.level, attributes)
}
