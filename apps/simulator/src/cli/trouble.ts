import type { Problem } from '@weir/policy/model'

/** Why a command could not be done: lines for people, and its exit code. 1: it could not be done; 2: what was given is not right. */
export class Trouble extends Error {
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Bad input with all of its problems, each on a line with its place. */
export const badInput = (what: string, problems: readonly (Problem & { readonly line?: number })[]): Trouble =>
  new Trouble(
    [
      `${what} is not right:`,
      ...problems.map(
        ({ path, message, line }) =>
          `  ${path}${line === undefined ? '' : ` (line ${line})`}${path === '' ? '' : ': '}${message}`,
      ),
    ].join('\n'),
    2,
  )
