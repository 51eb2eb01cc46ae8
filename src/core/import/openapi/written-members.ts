// The members of an operation's contract as they are written. A contract that is published by hand may have them
// behind references.

import type { ContractTerms } from '../../comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { findByTokens, pointerTokens } from './openapi-document.ts';

/** The parts of terms that aligning reads and may change. */
export type Aligned = Pick<ContractTerms, 'schema' | 'direction' | 'hasNamedTypes' | 'hasPlaces'>;

export function statusNames({ schema }: Pick<Aligned, 'schema'>): readonly string[] {
  const responses = writtenAt(schema, objectAt(schema, 'properties'), 'responses');
  return Object.keys(objectAt(responses, 'properties') ?? {});
}

export function statusAt({ schema }: Aligned, status: string): JsonObject | undefined {
  const responses = writtenAt(schema, objectAt(schema, 'properties'), 'responses');
  return writtenAt(schema, objectAt(responses, 'properties'), status);
}

/** A member, or what it refers to. */
export function writtenAt(
  document: Json,
  parent: JsonObject | undefined,
  name: string,
): JsonObject | undefined {
  const parts = writtenParts(document, memberOf(parent, name));
  return parts.find((part) => memberOf(part, 'properties') !== undefined) ?? parts[0];
}

export function contentAt(side: Aligned, status: string): JsonObject {
  return objectAt(statusAt(side, status), 'properties') ?? {};
}

/** A schema with its references and `allOf` parts, each once. */
export function writtenParts(document: Json, start: Json | undefined): readonly JsonObject[] {
  const parts = new Set<JsonObject>();
  const waiting = [start];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (!isJsonObject(part) || parts.has(part)) continue;
    parts.add(part);
    const tokens = pointerTokens(textAt(part, '$ref') ?? '');
    if (tokens !== null) waiting.push(findByTokens(document, tokens));
    waiting.push(...(arrayAt(part, 'allOf') ?? []));
  }
  return [...parts];
}
