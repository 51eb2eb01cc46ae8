// The service levels of a data contract: how old the data of an object may be. What no object reads is
// known, too, so that it can be told.

import type { Json, JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, textAt } from '../read-json.ts';

interface ReadLevel {
  readonly level: Json;
  /** Undefined if the level has none, so that it applies to every object. */
  readonly element: string | undefined;
  readonly freshness: JsonObject;
}

/** The names of the levels that are read, the first one first; ODCS abbreviates latency. */
const ageLevels: readonly (readonly string[])[] = [['freshness'], ['latency', 'ly']];

/** The maximum age of an object's data: freshness if it is given, otherwise latency. */
export function readFreshness(levels: readonly Json[], objectName: string): ReadLevel | null {
  for (const names of ageLevels) {
    for (const level of levels) {
      if (!names.includes(textAt(level, 'property')?.toLowerCase() ?? '')) continue;
      const minutes = Math.ceil(minutesOf(level));
      const element = elementFor(level, objectName);
      if (element === null || !Number.isSafeInteger(minutes) || minutes < 1) continue;
      const column = element?.slice(objectName.length + 1) ?? '';
      const measuredBy = column === '' ? {} : { measured_by: column };
      return { level, element, freshness: { max_staleness_minutes: minutes, ...measuredBy } };
    }
  }
  return null;
}

/** The service levels of a contract that say more than what is read of them. */
export function unreadLevels(contract: Json): readonly Json[] {
  const levels = arrayAt(contract, 'slaProperties') ?? [];
  const objects = arrayAt(contract, 'schema') ?? [];
  const reads = objects.map((object) => readFreshness(levels, textAt(object, 'name') ?? ''));
  return levels.filter((level) => {
    const isExact = Number.isInteger(minutesOf(level)) && memberOf(level, 'valueExt') === undefined;
    const read = reads.filter((each) => each?.level === level).map((each) => each?.element);
    const elements = elementsOf(level);
    const isWhole =
      elements.length === 0
        ? read.length === objects.length
        : elements.every((element) => read.includes(element));
    return !isExact || !isWhole;
  });
}

/** Objects or columns of them. */
function elementsOf(level: Json): readonly string[] {
  const names = (textAt(level, 'element') ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** Undefined if the level holds for every object, and null if it holds for others only. */
function elementFor(level: Json, objectName: string): string | undefined | null {
  const elements = elementsOf(level);
  if (elements.length === 0) return undefined;
  const isOwn = (name: string) => name === objectName || name.startsWith(`${objectName}.`);
  return elements.find(isOwn) ?? null;
}

/** Months are not read, because their lengths differ, nor is `M`, which may mean a month. */
const minutesPerUnit: readonly (readonly [RegExp, number])[] = [
  [/^m$/, 1],
  [/^(?:mi|min|mins|minutes?)$/i, 1],
  [/^(?:s|sec|secs|seconds?)$/i, 1 / 60],
  [/^(?:h|hr|hrs|hours?)$/i, 60],
  [/^(?:d|days?)$/i, 1_440],
  [/^(?:w|wk|weeks?)$/i, 10_080],
  [/^(?:y|yr|years?)$/i, 525_600],
];

function minutesOf(level: Json): number {
  const stated = memberOf(level, 'value');
  const isStated = typeof stated === 'number' || typeof stated === 'string';
  const unit = textAt(level, 'unit') ?? 'minutes';
  const factor = minutesPerUnit.find(([pattern]) => pattern.test(unit))?.[1] ?? Number.NaN;
  return isStated ? Number(stated) * factor : Number.NaN;
}

const isoDuration =
  /^P(?:([\d.]+)Y)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/;
const secondsPerPart = [31_536_000, 604_800, 86_400, 3_600, 60, 1];

/**
 * A value and its unit; a text that is no duration, or one of months, is a value without one.
 *
 * @example valueOfDuration('PT1H30M') // { value: 5400, unit: 's' }
 */
export function valueOfDuration(text: string): JsonObject {
  const parts = isoDuration.exec(text)?.slice(1);
  if (parts?.some((part) => part !== undefined)) {
    const seconds = parts.map((part, index) => Number(part ?? 0) * (secondsPerPart[index] ?? 0));
    return { value: seconds.reduce((sum, each) => sum + each, 0), unit: 's' };
  }
  const [, value = text, unit = ''] = /^([\d.]+)\s*([a-z]+)$/i.exec(text) ?? [];
  return { value, unit };
}
