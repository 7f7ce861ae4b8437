/** A frame's drawing ends after so long, ms, and goes on in the next one: however many charts a page has, what somebody types is not kept waiting by all of them. */
const BUDGET_MS = 4

const waiting = new Set<() => void>()
let asked = false

const run = (): void => {
  asked = false
  const from = performance.now()
  for (const draw of waiting) {
    waiting.delete(draw)
    draw()
    if (performance.now() - from >= BUDGET_MS) break
  }
  if (waiting.size > 0) ask()
}

const ask = (): void => {
  if (asked) return
  asked = true
  requestAnimationFrame(run)
}

/** Draws at one of the next animation frames, once however often it is asked for. The browser gives a hidden tab no frames: its charts pause. */
export const onNextFrame = (draw: () => void): void => {
  waiting.add(draw)
  ask()
}

export const forget = (draw: () => void): void => {
  waiting.delete(draw)
}
