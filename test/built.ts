import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const NX = fileURLToPath(new URL('../node_modules/nx/dist/bin/nx.js', import.meta.url))

/** Once for a run of end-to-end tests: builds what they start, before any of them. What is built already comes from the cache. */
export default function setup(): void {
  execFileSync(process.execPath, [NX, 'run-many', '-t', 'build'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
  })
}
