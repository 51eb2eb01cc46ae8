// What the readers of one operation share: the schemas that they met, and the shapes that they expect.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { kindOf, memberOf, placeOf } from '../read-json.ts';
import type { BundledSchema, Bundler } from './openapi-bundle.ts';
import { type ReferenceProblem, resolveObject } from './openapi-document.ts';

export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly place: string;
  /** The place of its path. */
  readonly itemPlace: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
  /** Whether the API sends the request. */
  readonly isWebhook: boolean;
}

export interface PlacedProblem extends ReferenceProblem {
  readonly place: string;
}

export interface Context {
  readonly document: JsonObject;
  readonly bundler: Bundler;
  readonly problems: PlacedProblem[];
  /** All schemas directly in the operation. */
  readonly parts: BundledSchema[];
}

export function readSchema(raw: Json, context: Context): Json {
  const bundled = context.bundler.read(raw);
  context.parts.push(bundled);
  return bundled.schema;
}

type Kind = 'an object' | 'an array' | 'a boolean' | 'a schema';

const isOfKind: Readonly<Record<Kind, (value: Json) => boolean>> = {
  'an object': isJsonObject,
  'an array': Array.isArray,
  'a boolean': (value) => typeof value === 'boolean',
  'a schema': (value) => isJsonObject(value) || typeof value === 'boolean',
};

/**
 * A member of the expected type. A member of another type is reported and treated as absent. So is
 * null, but without a report, because YAML makes it from a key without a value.
 */
export function shapeAt(
  holder: JsonObject,
  key: string,
  kind: Kind,
  place: string,
  { problems }: Context,
): Json | undefined {
  const value = memberOf(holder, key) ?? undefined;
  if (value === undefined || isOfKind[kind](value)) return value;
  const message = `"${key}" must be ${kind}, and is ${kindOf(value)}.`;
  problems.push({ code: 'UNREADABLE_ITEM', message, place: placeOf(place, key) });
  return undefined;
}

/** Follows the `$ref` of a part; null if that is a problem. */
export function resolvePart(
  raw: Json,
  place: string,
  { document, problems }: Context,
): JsonObject | null {
  const resolved = resolveObject(document, raw, place);
  if (resolved.ok) return resolved.value;
  problems.push({ ...resolved.problem, place });
  return null;
}
