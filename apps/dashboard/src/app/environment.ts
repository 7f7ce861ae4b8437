const KEY = 'weir.environment'

/** The environment looked at last, for the next visit. */
export const lastEnvironment = (): string | null => {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/** The one to begin with: looked at last, else the first with a service, else the first. */
export const firstEnvironment = <E extends { readonly name: string; readonly services: number }>(
  environments: readonly E[],
): E | undefined => {
  const last = lastEnvironment()
  return (
    environments.find(({ name }) => name === last) ??
    environments.find(({ services }) => services > 0) ??
    environments[0]
  )
}

export const rememberEnvironment = (name: string): void => {
  try {
    localStorage.setItem(KEY, name)
  } catch {
    // Without storage the next visit begins with the first environment.
  }
}
