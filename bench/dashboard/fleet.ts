import type { CDPSession, Page } from 'playwright-core'

/** What a list cost: from the navigation to its first row, and while it is scrolled. */
export interface Cost {
  readonly firstRowMs: number
  readonly rowsInDocument: number
  /** Of the API, as they came over the wire, until nothing more was asked for. */
  readonly kilobytes: number
  /** Between two frames while 25 rows are passed each frame, p95. */
  readonly frameMs: number
  readonly heapMb: number
}

const FRAMES = 240
const ROW = '[role="row"][data-index="0"]:has(a, [role="cell"] > *:not(:empty))'

/** Runs in the page: scrolls down and up again, a step each frame. Returns the times between frames, ms. */
const SCROLL = `(async (frames) => {
  const times = []
  let before = await new Promise(requestAnimationFrame)
  let step = 1300
  for (let i = 0; i < frames; i++) {
    if (scrollY + innerHeight + step > document.documentElement.scrollHeight || scrollY + step < 0) step = -step
    scrollBy({ top: step, behavior: 'instant' })
    const now = await new Promise(requestAnimationFrame)
    times.push(now - before)
    before = now
  }
  return times
})(${FRAMES})`

const heapOf = async (client: CDPSession): Promise<number> => {
  await client.send('HeapProfiler.collectGarbage')
  const { usedSize } = await client.send('Runtime.getHeapUsage')
  return usedSize / 1e6
}

/** Opens a list in a page of its own, with what the browser had in its cache. */
export const costOf = async (page: Page, url: string): Promise<Cost> => {
  const fresh = await page.context().newPage()
  try {
    await fresh.setViewportSize({ width: 1280, height: 900 })
    const client = await fresh.context().newCDPSession(fresh)
    await client.send('Network.enable')
    let bytes = 0
    const api = new Set<string>()
    client.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (new URL(request.url).pathname.startsWith('/api/')) api.add(requestId)
    })
    client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (api.has(requestId)) bytes += encodedDataLength
    })
    const started = performance.now()
    await fresh.goto(url, { waitUntil: 'commit' })
    await fresh.locator(ROW).first().waitFor()
    const firstRowMs = performance.now() - started
    await fresh.waitForLoadState('networkidle')
    const kilobytes = bytes / 1_000
    const rowsInDocument = await fresh.getByRole('row').count()
    const times = (await fresh.evaluate(SCROLL)) as number[]
    const frameMs = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN
    return { firstRowMs, rowsInDocument, kilobytes, frameMs, heapMb: await heapOf(client) }
  } finally {
    await fresh.close()
  }
}
