const waiting = new Set<() => void>()
let asked = false

const run = (): void => {
  asked = false
  const now = [...waiting]
  waiting.clear()
  for (const draw of now) draw()
}

/** Draws at the next animation frame, once however often it is asked for. The browser gives a hidden tab no frames: its charts pause. */
export const onNextFrame = (draw: () => void): void => {
  waiting.add(draw)
  if (asked) return
  asked = true
  requestAnimationFrame(run)
}

export const forget = (draw: () => void): void => {
  waiting.delete(draw)
}
