import { WIRE } from '@weir/wire'
import type { AgentBounds } from './agent-bounds.ts'

/** How often the agents of one service export and report: less often in a large fleet, with hysteresis. */
export class Pacing {
  sparse = false

  constructor(private readonly bounds: AgentBounds) {}

  look(agents: number): void {
    if (agents > WIRE.denseAgents) this.sparse = true
    else if (agents <= this.bounds.denseAgainAgents) this.sparse = false
  }

  get pace(): { readonly reportMs: number; readonly exportMs: number } {
    return this.sparse
      ? { reportMs: this.bounds.sparseReportMs, exportMs: WIRE.sparseExportMs }
      : { reportMs: WIRE.reportMs, exportMs: WIRE.exportMs }
  }
}
