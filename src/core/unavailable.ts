/** Postgres is unavailable, or does not answer in time. Becomes a 503; a retry may succeed. */
export class RegistryUnavailable extends Error {
  override name = 'RegistryUnavailable';
  /** For the log: "the database is unreachable". */
  readonly state: string = 'unreachable';

  constructor(cause: unknown, why = 'The registry cannot reach its database.', next = '') {
    super(`${why} Try again in a few seconds.${next}`, { cause });
  }
}

/** Postgres answers, but others hold the connections or the locks that a request needs. */
export class RegistryBusy extends RegistryUnavailable {
  override readonly state = 'busy';

  constructor(cause: unknown, why: string) {
    super(
      cause,
      `The registry is busy: ${why}`,
      ' If this lasts, tell the operators of the registry.',
    );
  }
}

/** Why Postgres refuses until an operator acts, and how the log says it. */
export const databaseRefusals = {
  credentials: 'refusing the credentials',
  disk_full: 'out of disk',
  no_connections: 'out of connections',
  read_only: 'read-only',
} as const;

type DatabaseRefusal = keyof typeof databaseRefusals;

/** Postgres answers, and refuses what the request needs. */
export class RegistryRefused extends RegistryUnavailable {
  readonly reason: DatabaseRefusal;
  override readonly state: string;

  constructor(cause: unknown, reason: DatabaseRefusal, why: string) {
    super(cause, why);
    this.reason = reason;
    this.state = databaseRefusals[reason];
  }
}

/** Months of the audit trail are in an object store that does not answer, or lacks what was written there. */
export class ArchiveUnavailable extends Error {
  override name = 'ArchiveUnavailable';
}
