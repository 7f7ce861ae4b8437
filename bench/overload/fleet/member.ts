import type { ChildProcess } from 'node:child_process'
import { child, ended, heard, type Place } from '../children.ts'
import type { Change, Command, Counts, Listening, Sample, ServiceSettings } from './messages.ts'

/** A service of the fleet, as the bench steers and reads it. */
export class Member {
  readonly name: string
  readonly url: string
  readonly samples: Sample[] = []
  readonly #process: ChildProcess

  private constructor(name: string, process: ChildProcess, url: string) {
    this.name = name
    this.url = url
    this.#process = process
    process.on('message', (said: Sample) => {
      if (said.type === 'sample') this.samples.push(said)
    })
  }

  static async start<T extends ServiceSettings>(role: string, settings: T, on: Place = 'services'): Promise<Member> {
    const process = child(`fleet/${role}.ts`, on, settings)
    const { url } = await heard<Listening>(process, 'listening')
    return new Member(settings.name, process, url)
  }

  change(change: Omit<Change, 'type'>): void {
    this.#process.send({ type: 'change', ...change } satisfies Command)
  }

  async counts(): Promise<Counts> {
    const counts = heard<Counts>(this.#process, 'books')
    this.#process.send({ type: 'books' } satisfies Command)
    return counts
  }

  stop(): Promise<void> {
    return ended(this.#process)
  }
}
