import type { Json } from '../value/json.ts';

/**
 * What names a row in a sample of a check, for people.
 *
 * @example rowName({ day: '2026-01-01', number: 3 }) // 'day "2026-01-01", number 3'
 */
export function rowName(row: Readonly<Record<string, Json>>): string {
  const keys = Object.entries(row);
  return keys.map(([name, key]) => `${name} ${JSON.stringify(key)}`).join(', ');
}
