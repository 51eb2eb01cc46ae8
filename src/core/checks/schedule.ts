// Schedules of checks: the five fields of cron, as the CronJobs of Kubernetes read them.

import type { Timestamp } from '../id.ts';

interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** Whether the schedule names this day. */
  readonly isDue: (day: Date) => boolean;
}

/** The words for a whole schedule. `@every` is left out: its runs depend on when it began. */
const words: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

interface Field {
  readonly least: number;
  readonly most: number;
  /** Names of the numbers from `least` on. */
  readonly names?: readonly string[];
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const weekdays = 'sun mon tue wed thu fri sat'.split(' ');

const fields = {
  minute: { least: 0, most: 59 },
  hour: { least: 0, most: 23 },
  day: { least: 1, most: 31 },
  month: { least: 1, most: 12, names: months },
  weekday: { least: 0, most: 6, names: weekdays },
} as const satisfies Readonly<Record<string, Field>>;

/**
 * Returns null if the text is no schedule.
 *
 * @example parseSchedule('30 5 * * mon-fri') // half past five, from Monday to Friday
 */
export function parseSchedule(text: string): Schedule | null {
  const spoken = words[text] ?? text;
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = spoken
    .trim()
    .split(/[ \t]+/);
  const minutes = parseField(minute, fields.minute);
  const hours = parseField(hour, fields.hour);
  const days = parseField(day, fields.day);
  const monthsNamed = parseField(month, fields.month);
  const weekdaysNamed = parseField(weekday, fields.weekday);
  const isWhole = minutes && hours && days && monthsNamed && weekdaysNamed && more.length === 0;
  if (!isWhole) return null;
  // With both named, either is enough; a star is no restriction.
  const isEither = !isStar(day) && !isStar(weekday);
  return {
    minutes,
    hours,
    isDue: (date) => {
      const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdaysNamed.has(date.getUTCDay())];
      const isDayDue = isEither ? isDay || isWeekday : isDay && isWeekday;
      return isDayDue && monthsNamed.has(date.getUTCMonth() + 1);
    },
  };
}

const dayMs = 86_400_000;
/** A leap day comes again after eight years at most. */
const searchedDays = 366 * 9;

/**
 * The first time of the schedule after `now`; null if there is none, such as on 30 February. As in
 * Kubernetes, a time that clocks skip is no time, and one that they show twice is due twice.
 *
 * @example nextTime(everyMorning, '2026-03-28T12:00:00Z', 'Europe/Berlin') // '2026-03-29T03:30:00Z'
 */
export function nextTime(
  { minutes, hours, isDue }: Schedule,
  now: Timestamp,
  timeZone = 'UTC',
): Timestamp | null {
  const nowMs = Date.parse(now);
  const offsetAt = offsetsOf(timeZone);
  const today = Math.floor((nowMs + offsetAt(nowMs)) / dayMs) * dayMs;
  for (let i = 0; i < searchedDays; i++) {
    // Local times are written as if they were in UTC.
    const dayAtMs = today + i * dayMs;
    if (!isDue(new Date(dayAtMs))) continue;
    const offsets = [...new Set([offsetAt(dayAtMs - dayMs), offsetAt(dayAtMs + 2 * dayMs)])];
    let firstMs = Number.POSITIVE_INFINITY;
    for (const hour of hours) {
      for (const minute of minutes) {
        const localMs = dayAtMs + (hour * 60 + minute) * 60_000;
        for (const offset of offsets) {
          const atMs = localMs - offset;
          if (atMs <= nowMs || atMs >= firstMs) continue;
          if (offsets.length === 1 || offsetAt(atMs) === offset) firstMs = atMs;
        }
      }
    }
    if (firstMs < Number.POSITIVE_INFINITY) {
      return `${new Date(firstMs).toISOString().slice(0, 19)}Z`;
    }
  }
  return null;
}

/** @example isTimeZone('Europe/Berlin') // true */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Returns the offset of a time zone from UTC at a given time, in milliseconds. */
function offsetsOf(timeZone: string): (atMs: number) => number {
  if (timeZone === 'UTC') return () => 0;
  const clock = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  return (atMs) => {
    const parts = new Map(
      clock.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
    );
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const localMs = Date.UTC(
      ...([part('year'), part('month') - 1, part('day')] as const),
      ...([part('hour'), part('minute'), part('second')] as const),
    );
    return localMs - Math.floor(atMs / 1000) * 1000;
  };
}

function isStar(field: string): boolean {
  return field.split(',').some((part) => /^[*?](\/0*1)?$/.test(part));
}

function parseField(text: string, field: Field): ReadonlySet<number> | null {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const range = parseRange(part, field);
    if (range === null) return null;
    const { first, last, step } = range;
    for (let value = first; value <= last; value += step) found.add(value);
  }
  return found;
}

/** `*`, `3`, `3-7`, each with `/2` for every second value; `3/2` goes on to the end. */
function parseRange(part: string, field: Field) {
  const [, from = '', to, by] =
    /^([*?]|[a-z]+|\d+)(?:-([a-z]+|\d+))?(?:\/(\d+))?$/i.exec(part) ?? [];
  const isAll = from === '*' || from === '?';
  if (isAll && to !== undefined) return null;
  const first = isAll ? field.least : numberOf(from, field);
  const end = by === undefined && !isAll ? first : field.most;
  const last = to === undefined ? end : numberOf(to, field);
  const step = Number(by ?? 1);
  if (first === null || last === null || first > last || step < 1) return null;
  return { first, last, step };
}

function numberOf(text: string, { least, most, names = [] }: Field): number | null {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return least + named;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
