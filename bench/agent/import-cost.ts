import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { median } from '../rounds.ts'

const root = new URL('../..', import.meta.url).pathname

/** Third-party runtime dependencies of what is published: the agent, its policy and its wire. */
export const thirdParty = (): string[] => {
  const of = (folder: string): string[] =>
    Object.keys(
      (JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) as { dependencies?: Record<string, string> })
        .dependencies ?? {},
    )
  return [...new Set(['apps/agent', 'libs/policy', 'libs/wire'].flatMap(of))]
    .filter((name) => !name.startsWith('@weir/'))
    .sort()
}

interface Chunk {
  readonly type: string
  readonly fileName: string
  readonly isEntry?: boolean
  readonly code?: string
  readonly imports?: readonly string[]
  readonly moduleIds?: readonly string[]
}

/** Minified code in chunks, what is loaded later in chunks of its own; ws, Node's modules and an optional peer left out. */
const chunks = async (): Promise<readonly Chunk[]> => {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      target: 'node22',
      lib: { entry: `${root}apps/agent/dist/index.js`, formats: ['es'] },
      rollupOptions: { external: ['ws', /^node:/, ...builtinModules, '@opentelemetry/api'] },
    },
  })
  const [output] = (Array.isArray(built) ? built : [built]) as unknown as { output: Chunk[] }[]
  return (output?.output ?? []).filter((chunk) => chunk.type === 'chunk')
}

/** Loaded by `start` where there is a control plane; YAML is not, nor what needs the host's OpenTelemetry. */
const STARTED = ['apps/agent/dist/policy/state.js', 'apps/agent/dist/link.js']

/** Everything that `import '@weir/agent'` loads except ws, minified and gzipped, kB; and together with what `start` loads. */
export const gzippedKb = async (): Promise<{ imported: number; started: number }> => {
  const all = await chunks()
  const kb = (roots: readonly Chunk[]): number => {
    const loaded = new Set(roots)
    for (const { imports = [] } of loaded)
      for (const chunk of all) if (imports.includes(chunk.fileName)) loaded.add(chunk)
    return gzipSync(Array.from(loaded, ({ code = '' }) => code).join('\n')).length / 1_000
  }
  const entry = all.filter(({ isEntry }) => isEntry)
  const later = all.filter(({ moduleIds = [] }) => moduleIds.some((id) => STARTED.some((file) => id.endsWith(file))))
  return { imported: kb(entry), started: kb([...entry, ...later]) }
}

/** A start that opens no socket and writes nothing; then the socket, which most have. */
const START = `const{Weir}=await import('@weir/agent');await Weir.start({snapshotDir:false,telemetry:'off'});await import('ws')`

/** Time to import the agent, and to import and start it / to import ws and zod alone: medians of fresh processes, taking turns, the bare start of Node taken off. */
export const importRatios = (rounds = 15): { imported: number; started: number } => {
  const take = (source: string): number => {
    const script = `const t=process.hrtime.bigint();${source};console.log(Number(process.hrtime.bigint()-t));process.exit(0)`
    return Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: `${root}bench`, encoding: 'utf8' }),
    )
  }
  const agent: number[] = []
  const started: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    agent.push(take(`await import('@weir/agent')`))
    started.push(take(START))
    bare.push(take(`await import('ws');await import('zod')`))
  }
  return { imported: median(agent) / median(bare), started: median(started) / median(bare) }
}
