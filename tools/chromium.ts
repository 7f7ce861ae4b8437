import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM, ensure, pathOf } from './system-packages.ts'

const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage'

/** A real Chromium that asks nobody for anything by itself. */
export const openBrowser = (): Promise<Browser> => {
  ensure(CHROMIUM)
  return chromium.launch({ executablePath: pathOf(CHROMIUM) ?? CHROMIUM.debian, args: FLAGS.split(' ') })
}
