import { INSTANCE_HEADER } from '@weir/wire'

const LONGEST_INSTANCE = 128

/** Which instance an agent without a socket says that it is; `null`: none that can be one. */
export const instanceOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string | null => {
  const instance = headers[INSTANCE_HEADER]
  return typeof instance === 'string' && instance !== '' && instance.length <= LONGEST_INSTANCE ? instance : null
}
