/** Postgres is unavailable, or does not answer in time. Becomes a 503; a retry may succeed. */
export class RegistryUnavailable extends Error {
  override name = 'RegistryUnavailable';

  constructor(cause: unknown, why = 'The registry cannot reach its database.', next = '') {
    super(`${why} Try again in a few seconds.${next}`, { cause });
  }
}

/** Postgres answers, but others hold the connections or the locks that a request needs. */
export class RegistryBusy extends RegistryUnavailable {
  constructor(cause: unknown, why: string) {
    super(
      cause,
      `The registry is busy: ${why}`,
      ' If this lasts, tell the operators of the registry.',
    );
  }
}
