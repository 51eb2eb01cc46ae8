/** Postgres is away, or does not answer in time: 503, and the next request may well succeed. */
export class RegistryUnavailable extends Error {
  override name = 'RegistryUnavailable';

  constructor(cause: unknown, why = 'The registry cannot reach its database.') {
    super(`${why} Try again in a few seconds.`, { cause });
  }
}
