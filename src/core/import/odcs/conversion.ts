// What converters of older data contracts share: the converted contract, and the places in the file
// that its parts come from.

import type { Json, JsonObject } from '../../value/json.ts';
import { stepsOf } from '../../value/json-path.ts';
import type { ImportProblem } from '../candidate.ts';
import { memberOf, placeOf } from '../read-json.ts';

export interface Converted {
  readonly contract: JsonObject;
  /** The place in the file of each converted part. */
  readonly origins: ReadonlyMap<Json, string>;
  readonly problems: readonly ImportProblem[];
}

/**
 * The place in the file for a place in the converted contract.
 *
 * @example placeInFile(converted, '$.schema[0].properties[1]') // '$.models.orders.fields.id'
 */
export function placeInFile({ contract, origins }: Converted, place: string): string {
  let value: Json | undefined = contract;
  let found = '$';
  for (const step of stepsOf(place)) {
    value = Array.isArray(value) ? value[Number(step)] : memberOf(value, String(step));
    if (value === undefined) return found;
    found = origins.get(value) ?? found;
  }
  return found;
}

/** Collects the parts of a conversion. */
export interface Conversion {
  readonly origins: Map<Json, string>;
  readonly problems: ImportProblem[];
}

/** Converts each named member to an entry of a list. */
export function listMembers(
  members: JsonObject | undefined,
  place: string,
  conversion: Conversion,
  convert: (member: Json, name: string, place: string) => JsonObject,
): readonly JsonObject[] {
  return Object.entries(members ?? {}).map(([name, member]) => {
    const at = placeOf(place, name);
    const converted = convert(member, name, at);
    conversion.origins.set(converted, at);
    return converted;
  });
}

/** The members of these names, as far as they are there, under their new names. */
export function pick(value: Json | undefined, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => {
      const member = memberOf(value, from);
      return member === undefined ? [] : [[to, member] as const];
    }),
  );
}
