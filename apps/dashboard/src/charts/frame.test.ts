import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { forget, onNextFrame } from './frame.ts'

let frames: (() => void)[] = []
let now = 0
beforeEach(() => {
  frames = []
  now = 0
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame))
  vi.stubGlobal('performance', { now: () => now })
})
afterEach(() => vi.unstubAllGlobals())
const nextFrame = () => frames.shift()?.()

it('what takes long is drawn over several frames, each once, and what was forgotten not at all', () => {
  const drawn: string[] = []
  const draw = (name: string) => () => {
    drawn.push(name)
    now += 3
  }
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(draw)
  for (const one of [a, a, b, c, d]) if (one !== undefined) onNextFrame(one)
  nextFrame()
  expect(drawn).toEqual(['a', 'b'])
  if (c !== undefined) forget(c)
  nextFrame()
  expect(drawn).toEqual(['a', 'b', 'd'])
  expect(frames).toEqual([])
})
