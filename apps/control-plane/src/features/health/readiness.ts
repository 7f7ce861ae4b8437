/** Whether this replica can do its work. Live and not ready: the database is away, agents keep their last policy. */
export abstract class Readiness {
  abstract databaseReachable(): Promise<boolean>
}
