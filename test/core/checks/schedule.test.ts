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

test.each([
  ['30 5 * * *', 'Europe/Berlin', '2026-01-01T10:30:00Z', '2026-01-02T04:30:00Z'],
  ['30 5 * * *', 'Asia/Kolkata', '2026-01-01T10:30:00Z', '2026-01-02T00:00:00Z'],
  ['0 8 * * mon', 'Pacific/Auckland', '2026-01-01T10:30:00Z', '2026-01-04T19:00:00Z'],
  ['0 0 1 1 *', 'America/New_York', '2025-12-31T23:00:00Z', '2026-01-01T05:00:00Z'],
  // Clocks go from 02:00 to 03:00, and nothing is due between.
  ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z'],
  ['30 3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00Z'],
  // Clocks go from 03:00 back to 02:00, and 02:30 comes twice.
  ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
  ['*/40 * * * *', 'Europe/Berlin', '2026-10-25T00:40:00Z', '2026-10-25T01:00:00Z'],
  // A zone that skipped a day.
  ['0 12 30 12 *', 'Pacific/Apia', '2011-12-29T12:00:00Z', '2012-12-29T22:00:00Z'],
])('%s in %s after %s is due next at %s', (text, timeZone, after, expected) => {
  const schedule = parseSchedule(text);
  expect(schedule && nextTime(schedule, after, timeZone)).toBe(expected);
});
