import type { Line } from '../../charts/lines.ts'

/** Lines of one dependency, `line` is its timeline on the board. */
export const callLines = (line: string): Line[] => [
  {
    id: 'completed',
    label: 'completed',
    tone: 'completed',
    line,
    figure: 'completed',
    factor: 'rate',
    area: true,
    width: 2,
  },
  { id: 'calls', label: 'calls', tone: 'offered', line, figure: 'calls', factor: 'rate', dash: [6, 4] },
  { id: 'shed', label: 'refused here', tone: 'shed', line, figure: 'shed', factor: 'rate' },
  { id: 'failed', label: 'failed', tone: 'failed', line, figure: 'failed', factor: 'rate', dash: [9, 3, 2, 3] },
  { id: 'fallbacks', label: 'fallbacks', tone: 'c3', line, figure: 'fallbacks', factor: 'rate', dash: [2, 3] },
]
export const attemptLines = (line: string): Line[] => [
  { id: 'attempts', label: 'attempts', tone: 'accepted', line, figure: 'attempts', factor: 'rate', width: 2 },
  { id: 'retries', label: 'retries', tone: 'shed', line, figure: 'retries', factor: 'rate', dash: [6, 3] },
  {
    id: 'budget',
    label: 'not made: budget empty',
    tone: 'failed',
    line,
    figure: 'budgetExhausted',
    factor: 'rate',
    dash: [2, 3],
  },
]
export const slotLines = (line: string): Line[] => [
  { id: 'inFlight', label: 'in flight', tone: 'completed', line, figure: 'inFlight', factor: 1, area: true, width: 2 },
  { id: 'ceiling', label: 'ceiling', tone: 'limit', line, figure: 'ceiling', factor: 1, dash: [6, 4] },
]

export const breakerLines = (line: string): Line[] => [
  { id: 'open', label: 'open', tone: 'failed', line, figure: 'breakersOpen', factor: 1, area: true, width: 2 },
]
export const answerLines = (line: string): Line[] => [
  { id: 'p50', label: 'p50', tone: 'completed', line, figure: 'p50', factor: 1, width: 2 },
  { id: 'p90', label: 'p90', tone: 'accepted', line, figure: 'p90', factor: 1, dash: [2, 3] },
  { id: 'p99', label: 'p99', tone: 'shed', line, figure: 'p99', factor: 1, dash: [6, 3] },
]
export const budgetLines = (line: string): Line[] => [
  { id: 'budget', label: 'left', tone: 'accepted', line, figure: 'budgetLeft', factor: 1, area: true },
]
export const endingLines = (line: string): Line[] => [
  { id: 'late', label: 'late', tone: 'late', line, figure: 'late', factor: 'rate', dash: [6, 3] },
  { id: 'failed', label: 'failed', tone: 'failed', line, figure: 'failed', factor: 'rate' },
  { id: 'cancelled', label: 'cancelled', tone: 'c8', line, figure: 'cancelled', factor: 'rate', dash: [2, 3] },
  { id: 'fallbacks', label: 'by fallback', tone: 'c3', line, figure: 'fallbacks', factor: 'rate', dash: [9, 3, 2, 3] },
]
