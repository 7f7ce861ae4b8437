import { execFile } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { promisify } from 'node:util'

const ROOT = new URL('..', import.meta.url).pathname
const OUT = new URL('../node_modules/.e2e/', import.meta.url).pathname
const VITE = new URL('../../../node_modules/vite/bin/vite.js', import.meta.url).pathname

/** What the built pages are made of. */
const SOURCES = [
  'apps/dashboard/{src,public}/**',
  'apps/dashboard/*.{html,ts,json}',
  'libs/*/src/**',
  'package-lock.json',
]

const newest = (): number =>
  Math.max(
    ...SOURCES.flatMap((pattern) => globSync(pattern, { cwd: new URL('../../..', import.meta.url).pathname }))
      .map((path) => new URL(`../../../${path}`, import.meta.url))
      .map((path) => statSync(path).mtimeMs),
  )

/** The dashboard as it is served, built for production unless the last build is newer than every source. Returns its folder. */
export const builtDashboard = async (): Promise<string> => {
  const page = `${OUT}index.html`
  if (existsSync(page) && statSync(page).mtimeMs > newest()) return OUT
  await promisify(execFile)(
    process.execPath,
    [VITE, 'build', '--outDir', OUT, '--emptyOutDir', '--logLevel', 'error'],
    {
      cwd: ROOT,
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  return OUT
}
