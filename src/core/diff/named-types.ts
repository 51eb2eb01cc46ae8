// Types that have a contract of their own, and scalars, are compared by their name: a stand-in takes the
// place of their values. A change of the stand-in is told as what it means: another type.

import type { Change } from '../comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { stepsOf, stepText } from '../value/json-path.ts';

type Step = string | number;

/** @example tellNamedTypes(changes, old, next) // [{ type: 'type_changed', old: 'Date', new: 'Time' }] */
export function tellNamedTypes(
  changes: readonly Change[],
  old: Json,
  next: Json,
): readonly Change[] {
  const places = new Map<string, readonly Step[]>();
  for (const { path } of changes) {
    const steps = stepsOf(path);
    const place = steps.slice(0, -2);
    const isMark = steps.at(-1) === '__typename' && steps.at(-2) === 'properties';
    if (isMark && (nameAt(old, place) ?? nameAt(next, place)) !== null) {
      places.set(pathOf(place), place);
    }
  }
  if (places.size === 0) return changes;
  const told = new Set<string>();
  return changes.flatMap((change): readonly Change[] => {
    const path = change.path.replace(markEnd, '');
    const place = places.get(path);
    const isOfPlace = place !== undefined && (path !== change.path || ofType.has(change.type));
    if (!isOfPlace) return [change];
    if (told.has(path)) return [];
    told.add(path);
    const parts = changes.filter((each) => each.path.replace(markEnd, '') === path);
    return [asTypeChange(path, parts, nameAt(old, place), nameAt(next, place))];
  });
}

const markEnd = /\.properties\.__typename$/;
const ofType: ReadonlySet<Change['type']> = new Set([
  'type_changed',
  'type_narrowed',
  'type_widened',
]);

/** No value of the stand-in is one that a server would send, so there is no example. */
function asTypeChange(
  path: string,
  parts: readonly Change[],
  was: string | null,
  is: string | null,
): Change {
  const plain = parts.find(({ type }) => ofType.has(type));
  const before = was ?? textOf(plain?.old);
  const after = is ?? textOf(plain?.new);
  return {
    ...{ type: 'type_changed', path, description: `\`${path}\`: ${before} became ${after}` },
    ...{ breaking: parts.some(({ breaking }) => breaking), old: before, new: after },
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : 'another type';
}

function pathOf(steps: readonly Step[]): string {
  return `$${steps.map(stepText).join('')}`;
}

/** The name of the type that stands at a place, which may also be null there. */
function nameAt(root: Json, steps: readonly Step[]): string | null {
  let value: Json | undefined = root;
  for (const step of steps)
    value = membersOf(root, value)
      .map((each) => each[step])
      .find(isThere);
  const stands = membersOf(root, value).find(({ required }) => {
    return Array.isArray(required) && required.length === 1 && required[0] === '__typename';
  });
  const properties = stands?.properties ?? null;
  const mark = isJsonObject(properties) ? (properties.__typename ?? null) : null;
  return isJsonObject(mark) && typeof mark.const === 'string' ? mark.const : null;
}

/** The schema at a place, or what it is one of, without references. */
function membersOf(root: Json, value: Json | undefined): readonly JsonObject[] {
  const own = value === undefined || !isJsonObject(value) ? [] : [value];
  const members = own.flatMap((each) => [each, ...(Array.isArray(each.anyOf) ? each.anyOf : [])]);
  return members.filter(isJsonObject).map((each) => definitionOf(root, each) ?? each);
}

function definitionOf(root: Json, { $ref }: JsonObject): JsonObject | null {
  const prefix = '#/$defs/';
  if (typeof $ref !== 'string' || !$ref.startsWith(prefix) || !isJsonObject(root)) return null;
  const definitions = root.$defs ?? null;
  const found = isJsonObject(definitions) ? definitions[$ref.slice(prefix.length)] : undefined;
  return found !== undefined && isJsonObject(found) ? found : null;
}

function isThere(value: Json | undefined): value is Json {
  return value !== undefined;
}
