// When the next run of a schedule is due. test/controller/cluster/checks.test.ts holds the grammar against
// the API server.

import { expect, test } from 'vitest';
import { nextTime, parseSchedule } from '../../../src/core/checks/schedule.ts';

/** A Thursday. */
const now = '2026-01-01T10:30:00.500Z';

test.each([
  ['30 5 * * *', '2026-01-02T05:30:00Z'],
  ['30 10 * * *', '2026-01-02T10:30:00Z'],
  ['31 10 * * *', '2026-01-01T10:31:00Z'],
  ['*/20 * * * *', '2026-01-01T10:40:00Z'],
  ['5/20 11 * * *', '2026-01-01T11:05:00Z'],
  ['@hourly', '2026-01-01T11:00:00Z'],
  ['@weekly', '2026-01-04T00:00:00Z'],
  ['@yearly', '2027-01-01T00:00:00Z'],
  ['0 0 31 * *', '2026-01-31T00:00:00Z'],
  ['0 0 31 FEB-apr *', '2026-03-31T00:00:00Z'],
  ['0 0 29 2 *', '2028-02-29T00:00:00Z'],
  ['0 12 * * mon-fri', '2026-01-01T12:00:00Z'],
  ['0 9 * * Mon,3', '2026-01-05T09:00:00Z'],
  // Either of the two days is enough, unless one of them is a star.
  ['0 0 20 * sat', '2026-01-03T00:00:00Z'],
  ['0 0 20 * ?', '2026-01-20T00:00:00Z'],
  ['0 0 */1 * sat', '2026-01-03T00:00:00Z'],
  ['0 0 30 2 *', null],
])('%s is due next at %s', (text, expected) => {
  const schedule = parseSchedule(text);
  expect(schedule && nextTime(schedule, now)).toBe(expected);
});
