// Finds targets of a mapping that are no schemas of the document. No contract says what a value with such a tag is.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { objectAt, placeOf } from '../read-json.ts';
import { dataMembers, findByTokens, pointerTokens } from './openapi-document.ts';
import { hasDiscriminator, mappingIn, propertyOf, schemasOf } from './variants.ts';

interface Part {
  readonly value: Json;
  readonly place: string;
  /** Where a mapping looks for the name of a schema. */
  readonly holder: readonly string[];
}

/** @example unmappedTargets(document)[0].place // '$.components.schemas.Pet.discriminator.mapping.dog' */
export function unmappedTargets(document: JsonObject): readonly ImportProblem[] {
  if (!hasDiscriminator(document)) return [];
  const schemas = schemasOf(document);
  const holders = new Map<Json, readonly string[]>(
    [...schemas.values()].map(({ schema, holder }) => [schema, holder]),
  );
  const problems: ImportProblem[] = [];
  const pending: Part[] = [{ value: document, place: '$', holder: ['components', 'schemas'] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, place } = next;
    if (typeof value !== 'object' || value === null) continue;
    const holder = holders.get(value) ?? next.holder;
    if (isJsonObject(value) && propertyOf(value) !== undefined) {
      const found = mappingIn(schemas, value, holder);
      const targets = Object.entries(objectAt(objectAt(value, 'discriminator'), 'mapping') ?? {});
      const lost = targets.filter(
        ([tag, target]) => !found.has(tag) && !isBroken(document, target),
      );
      problems.push(...lost.map(([tag, target]) => unmapped(tag, target, place)));
    }
    for (const [key, member] of Object.entries(value)) {
      if (Array.isArray(value))
        pending.push({ value: member, place: placeOf(place, Number(key)), holder });
      else if (!dataMembers.has(key))
        pending.push({ value: member, place: placeOf(place, key), holder });
    }
  }
  return problems;
}

/** The operations that reach such a reference have no contract. */
function isBroken(document: JsonObject, target: Json): boolean {
  const tokens = typeof target === 'string' ? pointerTokens(target) : null;
  return tokens !== null && findByTokens(document, tokens) === undefined;
}

function unmapped(tag: string, target: Json, place: string): ImportProblem {
  const message =
    `${JSON.stringify(tag)} leads to ${JSON.stringify(target)}, which is no schema of this document, so no contract says what ` +
    'such a value is. Correct the name, or bundle the document first.';
  return itemProblem(
    'UNREADABLE_PART',
    message,
    placeOf(placeOf(placeOf(place, 'discriminator'), 'mapping'), tag),
  );
}
