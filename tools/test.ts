/** `npm test`: everything. Installs what is missing, builds, runs unit and end-to-end tests, and closes with one line of counts. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALERTMANAGER, CHROMIUM, ensure, HAPROXY, KCAT, PROMETHEUS, RABBITMQ, REDIS } from './system-packages.ts'

const run = (command: string, args: readonly string[]): number =>
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, NX_TUI: 'false', NX_DAEMON: 'false' } }).status ??
  1

const main = (): number => {
  try {
    const needed = [CHROMIUM, REDIS, RABBITMQ, KCAT, PROMETHEUS, ALERTMANAGER, HAPROXY]
    for (const each of needed) ensure(each)
  } catch (error) {
    console.error(String((error as Error).message))
    return 1
  }
  const built = run('nx', ['run-many', '-t', 'build'])
  if (built !== 0) return built

  const folder = mkdtempSync(join(tmpdir(), 'weir-test-'))
  const report = join(folder, 'report.json')
  const status = run('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ])
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>
    console.log(`\n${numPassedTests} passed, ${numFailedTests} failed`)
  } catch {
    console.error('The test run left no report.')
    return status || 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return status
}

process.exitCode = main()
