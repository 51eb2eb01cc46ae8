// Times and dates as text.

import { useSyncExternalStore } from 'react';
import { words } from '../words.ts';

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const dayOnly = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** In the user's time zone, with UTC on hover. Within a week it says how long ago. */
export function Time({ at, isExact = false }: { readonly at: string; readonly isExact?: boolean }) {
  useSyncExternalStore(watchTicks, () => ticks);
  return (
    <time dateTime={at} title={utcText(at)} data-printed={isExact ? undefined : exactTime(at)}>
      <span>{isExact ? exactTime(at) : shortTime(at)}</span>
    </time>
  );
}

/** A day, such as the last one of a promise. It is the same day in every time zone. */
export function Day({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {dayOnly.format(new Date(at))}
    </time>
  );
}

/**
 * The last moment of a day that somebody chose.
 *
 * @example endOfDay('2031-05-03') // '2031-05-03T23:59:59Z'
 */
export function endOfDay(day: string): string {
  return `${day}T23:59:59Z`;
}

function utcText(at: string): string {
  return words.time.utc(at.replace('T', ' ').replace('Z', ''));
}

export function exactTime(at: string): string {
  return dateTime.format(new Date(at));
}

function shortTime(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return words.time.justNow;
  if (Math.abs(seconds) > 7 * 86_400) return exactTime(at);
  return relative.format(Math.round(seconds / unit[1]), unit[0]);
}

/** Half of the finest unit that is shown. */
const tickMs = 30_000;
let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

/** One timer for all times of the page. */
function watchTicks(tell: () => void): () => void {
  watchers.add(tell);
  timer ??= setInterval(() => {
    ticks++;
    for (const each of watchers) each();
  }, tickMs);
  return () => {
    watchers.delete(tell);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
