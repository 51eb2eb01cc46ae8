// The members of an operation's contract as they are written. A contract that is published by hand may have them
// behind references.

import type { ContractTerms } from '../../comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';
import { findByTokens, pointerTokens } from './openapi-document.ts';

/** What `alignTerms` reads of the terms, and may change. */
export type Aligned = Pick<
  ContractTerms,
  'schema' | 'direction' | 'hasNamedTypes' | 'hasPlaces' | 'hasUnreadVariants'
>;

export function responsesOf({ schema }: Aligned): JsonObject | undefined {
  return writtenAt(schema, objectAt(schema, 'properties'), 'responses');
}

export function statusNames(side: Aligned): readonly string[] {
  return Object.keys(objectAt(responsesOf(side), 'properties') ?? {});
}

export function statusAt(side: Aligned, status: string): JsonObject | undefined {
  return writtenAt(side.schema, objectAt(responsesOf(side), 'properties'), status);
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

/** The schema, and all schemas that its references and its `allOf` lead to, each once. */
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
