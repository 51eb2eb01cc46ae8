/** Postgres is unavailable, or does not answer in time. Becomes a 503; a retry may succeed. */
export class RegistryUnavailable extends Error {
  override name = 'RegistryUnavailable';

  constructor(cause: unknown, why = 'The registry cannot reach its database.') {
    super(`${why} Try again in a few seconds.`, { cause });
  }
}
