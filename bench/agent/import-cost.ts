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

/** Everything that `import '@weir/agent'` loads except ws, minified and gzipped, kB. */
export const gzippedKb = async (): Promise<number> => {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      target: 'node22',
      lib: { entry: `${root}apps/agent/dist/index.js`, formats: ['es'] },
      rollupOptions: {
        external: ['ws', /^node:/, ...builtinModules, '@opentelemetry/api'],
        output: { codeSplitting: false },
      },
    },
  })
  const [output] = (Array.isArray(built) ? built : [built]) as {
    output: { type: string; code?: string; isEntry?: boolean }[]
  }[]
  const code = (output?.output ?? []).filter((chunk) => chunk.type === 'chunk').map((chunk) => chunk.code ?? '')
  return gzipSync(code.join('\n')).length / 1_000
}

/** Time to import the agent / to import ws and zod alone: medians of fresh processes, taking turns, the bare start of Node taken off. */
export const importRatio = (rounds = 15): number => {
  const take = (source: string): number => {
    const script = `const t=process.hrtime.bigint();${source};console.log(Number(process.hrtime.bigint()-t))`
    return Number(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: `${root}bench`, encoding: 'utf8' }),
    )
  }
  const agent: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    agent.push(take(`await import('@weir/agent')`))
    bare.push(take(`await import('ws');await import('zod')`))
  }
  return median(agent) / median(bare)
}
