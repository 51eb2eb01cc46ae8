// Finds targets of a mapping that are no schemas of the document. No contract says what a value with such a tag is.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { objectAt, placeOf, textAt } from '../read-json.ts';
import { findByTokens, isData, pointerTokens } from './openapi-document.ts';
import { fallbackOf, hasDiscriminator, mappingIn, propertyOf, schemasOf } from './variants.ts';

interface Part {
  readonly value: Json;
  readonly place: string;
  /** The member that it stands in. */
  readonly key: string | null;
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
  const pending: Part[] = [
    { value: document, place: '$', key: null, holder: ['components', 'schemas'] },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, place } = next;
    if (typeof value !== 'object' || value === null) continue;
    const holder = holders.get(value) ?? next.holder;
    if (isJsonObject(value) && propertyOf(value) !== undefined) {
      const at = placeOf(place, 'discriminator');
      const stated = objectAt(value, 'discriminator');
      const found = mappingIn(schemas, value, holder);
      for (const [tag, target] of Object.entries(objectAt(stated, 'mapping') ?? {})) {
        if (found.has(tag) || isBroken(document, target)) continue;
        problems.push(unmapped(JSON.stringify(tag), target, placeOf(placeOf(at, 'mapping'), tag)));
      }
      const others = textAt(stated, 'defaultMapping');
      if (others !== undefined && fallbackOf(schemas, value, holder) === undefined)
        problems.push(unmapped('What no tag names', others, placeOf(at, 'defaultMapping')));
    }
    for (const [key, member] of Object.entries(value)) {
      if (Array.isArray(value))
        pending.push({ value: member, place: placeOf(place, Number(key)), key: null, holder });
      else if (!isData(key, next.key))
        pending.push({ value: member, place: placeOf(place, key), key, holder });
    }
  }
  return problems;
}

/** The operations that reach such a reference have no contract. */
function isBroken(document: JsonObject, target: Json): boolean {
  const tokens = typeof target === 'string' ? pointerTokens(target) : null;
  return tokens !== null && findByTokens(document, tokens) === undefined;
}

function unmapped(what: string, target: Json, place: string): ImportProblem {
  const message =
    `${what} leads to ${JSON.stringify(target)}, which is no schema of this document, so no contract says what ` +
    'such a value is. Correct the name, or bundle the document first.';
  return itemProblem('UNREADABLE_PART', message, place);
}
