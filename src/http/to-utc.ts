/**
 * A time in UTC, as the registry stores it, from any offset.
 *
 * @example toUtc('2026-03-14T10:26:53+01:00') // '2026-03-14T09:26:53.000Z'
 */
export function toUtc(moment: string): string {
  return new Date(moment).toISOString();
}
