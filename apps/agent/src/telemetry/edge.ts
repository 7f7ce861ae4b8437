import type { FigureAttributes, FigureSink } from '../core/figures.ts'

const marked = (attributes: FigureAttributes): FigureAttributes => ({ ...attributes, edge: true })

/** Says of every figure that it is of a gate where work enters the fleet: fleet totals sum only these. */
export const edgeSink = (sink: FigureSink): FigureSink => ({
  counter: (name, delta, attributes) => sink.counter(name, delta, marked(attributes)),
  gauge: (name, value, attributes) => sink.gauge(name, value, marked(attributes)),
  histogram: (name, counts, sum, attributes) => sink.histogram(name, counts, sum, marked(attributes)),
})
