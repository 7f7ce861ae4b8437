const KEY = 'weir.environment'

/** The environment looked at last, for the next visit. */
export const lastEnvironment = (): string | null => {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

export const rememberEnvironment = (name: string): void => {
  try {
    localStorage.setItem(KEY, name)
  } catch {
    // Without storage the next visit begins with the first environment.
  }
}
