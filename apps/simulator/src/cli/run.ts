import { writeFile } from 'node:fs/promises'
import type { Traffic } from '@weir/api'
import type { EffectivePolicy, Policy, Quotas } from '@weir/policy/model'
import { demandSize } from '../engine/demand.ts'
import { simulate } from '../engine/simulate.ts'
import { forecast } from '../forecast/forecast.ts'
import { askControlPlane } from './control-plane.ts'
import { policyFrom, policyOf, quotasFrom, trafficFrom } from './files.ts'
import { type Command, parseCommand, USAGE } from './parse.ts'
import { report } from './print.ts'
import { Trouble } from './trouble.ts'

/** Of the process that a command runs in. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The answer, standard output. */
  readonly print: (text: string) => void
  /** All else, standard error. */
  readonly tell: (text: string) => void
}

const DEFAULT_URL = 'http://127.0.0.1:7400'

/** Runs one command and says the exit code: 0 done, 1 it could not be done, 2 what was given is not right. */
export const runCommand = async (words: readonly string[], at: Surroundings): Promise<0 | 1 | 2> => {
  const parsed = parseCommand(words)
  if (!parsed.ok) {
    at.tell(`simulate: ${parsed.problem}\n\n${USAGE}`)
    return 2
  }
  if (parsed.command === 'help') {
    at.print(USAGE)
    return 0
  }
  try {
    await play(parsed.command, at)
    return 0
  } catch (error) {
    if (!(error instanceof Trouble)) throw error
    at.tell(`simulate: ${error.message}`)
    return error.exitCode
  }
}

interface Given {
  readonly traffic: Traffic
  readonly quotas: Quotas
  readonly live: Policy | null
}

const play = async (command: Command, at: Surroundings): Promise<void> => {
  const policy = await policyFrom(command.policy)
  const given = await gather(command, at)
  const traffic = command.instances === null ? given.traffic : { ...given.traffic, instances: command.instances }
  const effective = (document: Policy): EffectivePolicy => ({ policy: document, quotas: given.quotas })
  if (Object.values(traffic.gates).every((gate) => demandSize(gate) < 1))
    throw new Trouble('Nothing was offered in that time: there is nothing to play.')
  const began = performance.now()
  const { findings, caveats, draft } =
    given.live === null
      ? {
          findings: [],
          caveats: [],
          draft: await simulate({ traffic, effective: effective(policy), seed: command.seed }),
        }
      : await forecast({
          traffic,
          draft: effective(policy),
          live: effective(given.live),
          seed: command.seed,
          maxArrivals: Number.POSITIVE_INFINITY,
        })
  const seconds = (performance.now() - began) / 1_000
  if (command.json) at.print(JSON.stringify({ findings, caveats, prediction: draft }))
  else at.print(report(draft, findings, caveats))
  at.tell(`simulate: took ${seconds.toFixed(1)} s.`)
}

const gather = async (command: Command, at: Surroundings): Promise<Given> => {
  const { from, against } = command
  const given = against === null ? null : await policyFrom(against)
  const quotas = command.quotas === null ? null : await quotasFrom(command.quotas)
  if (from.kind === 'file') return { traffic: await trafficFrom(from.traffic), quotas: quotas ?? {}, live: given }
  const url = at.environment.WEIR_URL || DEFAULT_URL
  if (!URL.canParse(url)) throw new Trouble(`WEIR_URL is not a URL: ${url}`, 2)
  const access = { url, token: at.environment.WEIR_TOKEN || null }
  const known = await askControlPlane(access, from.service, from.environment, from.seconds)
  if (command.save !== null) await save(command.save, known.traffic, at)
  const live = given ?? (known.document === null ? null : policyOf(known.document, 'The live policy'))
  return { traffic: known.traffic, quotas: quotas ?? known.quotas, live }
}

const save = async (path: string, traffic: Traffic, at: Surroundings): Promise<void> => {
  try {
    await writeFile(path, `${JSON.stringify(traffic)}\n`)
    at.tell(`simulate: the traffic is in ${path}.`)
  } catch (error) {
    throw new Trouble(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
