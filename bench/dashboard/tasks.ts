import type { Page } from 'playwright-core'

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly args?: { readonly name?: string }
}

const CATEGORIES = 'toplevel,disabled-by-default-devtools.timeline,__metadata'
const MAIN_THREAD = 'CrRendererMain'

/** The longest task of the page's main thread in each second of so many, ms, by Chromium's own trace. */
export const longestTasks = async (page: Page, seconds: number): Promise<number[]> => {
  const client = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  client.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const complete = new Promise<void>((resolve) => client.once('Tracing.tracingComplete', () => resolve()))
  await client.send('Tracing.start', { categories: CATEGORIES, transferMode: 'ReportEvents' })
  await page.waitForTimeout(seconds * 1_000)
  await client.send('Tracing.end')
  await complete
  await client.detach()
  return bySecond(events, seconds)
}

/** Of the main thread that did most: that of the page, for there is no other. */
const bySecond = (events: readonly TraceEvent[], seconds: number): number[] => {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === MAIN_THREAD)
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && mains.has(`${pid} ${tid}`),
  )
  const busiest = new Map<string, number>()
  for (const { pid, tid, dur = 0 } of tasks) busiest.set(`${pid} ${tid}`, (busiest.get(`${pid} ${tid}`) ?? 0) + dur)
  const [main] = [...busiest].sort((a, b) => b[1] - a[1])[0] ?? []
  const own = tasks.filter(({ pid, tid }) => `${pid} ${tid}` === main)
  const start = Math.min(...own.map(({ ts }) => ts))
  const longest = new Array<number>(seconds).fill(0)
  for (const { ts, dur = 0 } of own) {
    const second = Math.floor((ts - start) / 1e6)
    if (second < seconds) longest[second] = Math.max(longest[second] ?? 0, dur / 1_000)
  }
  return longest
}

/** Slows the page's main thread to a part of the processor's speed. */
export const slowDown = async (page: Page, times: number): Promise<void> => {
  const client = await page.context().newCDPSession(page)
  await client.send('Emulation.setCPUThrottlingRate', { rate: times })
}
