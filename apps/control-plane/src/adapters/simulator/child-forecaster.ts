import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common'
import { type Answer, Forecaster, type Question } from '../../features/forecast/forecaster.ts'
import { done, type Result, refused } from '../../features/result.ts'

export interface ForecastBounds {
  readonly withinMs: number
  readonly heapMb: number
  readonly answerBytes: number
}

const BOUNDS: ForecastBounds = { withinMs: 20_000, heapMb: 384, answerBytes: 8 * 1_024 * 1_024 }
/** Of 19: the push path and the sockets come first. */
const NICE = 10

/** The program as it lies beside this file's own build, or its source. */
const program = (): string[] => {
  const source = import.meta.url.endsWith('.ts')
  const file = fileURLToPath(
    new URL(`../../../../simulator/${source ? 'src/worker.ts' : 'dist/worker.js'}`, import.meta.url),
  )
  return source ? ['--conditions', 'weir-src', file] : [file]
}

/** `null`: cut off. One that is ended for saying too much may have ended well just before. */
const answerOf = (chunks: readonly Buffer[]): Answer | null => {
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as Answer
  } catch {
    return null
  }
}

/** One forecast at a time, in a process of its own. */
@Injectable()
export class ChildForecaster extends Forecaster implements OnModuleDestroy {
  #child: ChildProcess | null = null
  readonly #bounds: ForecastBounds
  readonly #complain: (why: string) => void

  constructor(bounds: ForecastBounds = BOUNDS, complain = (why: string): void => new Logger('forecast').error(why)) {
    super()
    this.#bounds = bounds
    this.#complain = complain
  }

  override async forecast(question: Question): Promise<Result<Answer>> {
    if (this.#child !== null)
      return refused('too-many-requests', 'Another forecast is being made: ask again in a few seconds.')
    const child = this.#start()
    this.#child = child
    try {
      return await this.#answer(child, JSON.stringify(question))
    } finally {
      this.#child = null
    }
  }

  onModuleDestroy(): void {
    this.#child?.kill('SIGKILL')
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [`--max-old-space-size=${this.#bounds.heapMb}`, ...program()], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH },
    })
    try {
      if (child.pid !== undefined) setPriority(child.pid, NICE)
    } catch {
      // It may have ended already; then there is nothing to be nice to.
    }
    return child
  }

  #answer(child: ChildProcess, question: string): Promise<Result<Answer>> {
    const { withinMs, answerBytes } = this.#bounds
    const { promise, resolve } = Promise.withResolvers<Result<Answer>>()
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    let size = 0
    let late = false
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, withinMs)
    const take = (into: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length
      if (size > answerBytes) child.kill('SIGKILL')
      else into.push(chunk)
    }
    child.stdout?.on('data', take(out))
    child.stderr?.on('data', take(err))
    child.stdin?.on('error', () => undefined)
    child.once('error', (error) => err.push(Buffer.from(String(error))))
    child.once('close', (code) => {
      clearTimeout(timer)
      const answer = code === 0 && size <= answerBytes ? answerOf(out) : null
      if (answer !== null) return resolve(done(answer))
      const why = late ? `It took longer than ${withinMs / 1_000} s.` : 'It could not be finished.'
      if (!late) this.#complain(`The simulator ended with ${code}: ${Buffer.concat(err).toString().slice(0, 2_000)}`)
      resolve(refused('unavailable', `The forecast was given up. ${why}`))
    })
    child.stdin?.end(question)
    return promise
  }
}
