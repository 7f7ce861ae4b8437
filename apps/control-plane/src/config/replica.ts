/** Injection token of this replica's name, a string that no other process has or had: `@Inject(REPLICA) replica: string`. */
export const REPLICA = Symbol('replica')
