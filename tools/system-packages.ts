import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** A program that the tests need and npm cannot bring. */
interface SystemPackage {
  readonly what: string
  readonly debian: string
  /** Names its path where it is elsewhere. */
  readonly variable: string
  readonly paths: readonly string[]
}

export const CHROMIUM: SystemPackage = {
  what: 'Chromium (for the browser tests)',
  debian: 'chromium',
  variable: 'CHROMIUM',
  paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
}

export const REDIS: SystemPackage = {
  what: 'Redis (for the tests of durable queues)',
  debian: 'redis-server',
  variable: 'REDIS_SERVER',
  paths: ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server'],
}

export const RABBITMQ: SystemPackage = {
  what: 'RabbitMQ (for the tests of consumers)',
  debian: 'rabbitmq-server',
  variable: 'RABBITMQ_SERVER',
  paths: ['/usr/lib/rabbitmq/bin/rabbitmq-server', '/opt/homebrew/opt/rabbitmq/sbin/rabbitmq-server'],
}

export const EPMD: SystemPackage = {
  what: 'Erlang (for RabbitMQ)',
  debian: 'erlang-base',
  variable: 'EPMD',
  paths: ['/usr/bin/epmd', '/opt/homebrew/bin/epmd'],
}

export const KCAT: SystemPackage = {
  what: 'kcat (for the tests of Kafka consumers)',
  debian: 'kcat',
  variable: 'KCAT',
  paths: ['/usr/bin/kcat', '/opt/homebrew/bin/kcat'],
}

export const PROMETHEUS: SystemPackage = {
  what: 'Prometheus (for the tests of the figures store and of alert rules)',
  debian: 'prometheus',
  variable: 'PROMETHEUS',
  paths: ['/usr/bin/prometheus', '/usr/local/bin/prometheus', '/opt/homebrew/bin/prometheus'],
}

export const ALERTMANAGER: SystemPackage = {
  what: 'Alertmanager (for the tests of alerts)',
  debian: 'prometheus-alertmanager',
  variable: 'ALERTMANAGER',
  paths: ['/usr/bin/prometheus-alertmanager', '/usr/local/bin/alertmanager', '/opt/homebrew/bin/alertmanager'],
}

export const HAPROXY: SystemPackage = {
  what: 'HAProxy (for the tests of several replicas)',
  debian: 'haproxy',
  variable: 'HAPROXY',
  paths: ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'],
}

/** Another installation may be running. */
const PATIENCE = 'DPkg::Lock::Timeout=300'

/** Where it is, by its variable first. */
export const pathOf = ({ variable, paths }: SystemPackage): string | undefined =>
  [process.env[variable], ...paths].find((path) => path !== undefined && existsSync(path))

/** Installs a missing package as root on Debian, saying so; elsewhere fails with a sentence that says what to install. */
export const ensure = (wanted: SystemPackage): void => {
  if (pathOf(wanted) !== undefined) return
  const may = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!may)
    throw new Error(
      `${wanted.what} is missing. Install it first (Debian and Ubuntu: apt-get install ${wanted.debian}), or name its path in ${wanted.variable}.`,
    )
  console.log(`Installing ${wanted.what}: apt-get install ${wanted.debian} …`)
  const apt = (...args: string[]) =>
    execFileSync('apt-get', args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  apt('-o', PATIENCE, 'update', '-qq')
  apt('-o', PATIENCE, 'install', '-y', '-qq', '--no-install-recommends', wanted.debian)
}
