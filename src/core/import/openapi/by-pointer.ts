// Rewrites references by name (`#pet`, `https://example.org/pet`, `$dynamicRef`) as pointers. A base with a name may
// become a union of its variants. The name then stays with the base alone, and a pointer leads to the union
// (docs/decisions/openapi.md).

import { indexReferences, type Named, type ReferenceIndex } from '../../schema/reference-index.ts';
import { resolveUri, splitFragment } from '../../schema/uri.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { objectAt, textAt } from '../read-json.ts';
import { dataMembers, findByTokens, pointerTokens, toPointer } from './openapi-document.ts';
import { hasDiscriminator, standsAnywhere } from './variants.ts';

/**
 * A schema that has an id loses it once all its references are pointers. What has no target stays as it is, and is
 * reported when it is read.
 *
 * @example byPointer({ components: { schemas: { Pet: { $anchor: 'pet' }, Dog: { $ref: '#pet' } } } })
 * // { components: { schemas: { Pet: { $anchor: 'pet' }, Dog: { $ref: '#/components/schemas/Pet' } } } }
 */
export function byPointer(document: JsonObject): JsonObject {
  // A schema of OpenAPI 3.0 has no name but that of its component.
  const is30 = textAt(document, 'openapi')?.startsWith('3.0') === true;
  if (is30 || !hasDiscriminator(document) || !mayHaveNames(document)) return document;
  const index = indexReferences(document, 'openapi-3.1');
  const written = rewrite(document, { document, index, base: '' });
  return isJsonObject(written) ? written : document;
}

const hasName = standsAnywhere(({ $id, $anchor, $dynamicAnchor }) =>
  [$id, $anchor, $dynamicAnchor].some((name) => typeof name === 'string'),
);

/** Most documents have none and need no index. Definitions are asked one by one, because operations share them. */
function mayHaveNames({ $defs, ...rest }: JsonObject): boolean {
  return (
    hasName(rest) ||
    Object.values(isJsonObject($defs ?? null) ? ($defs as JsonObject) : {}).some(hasName)
  );
}

interface Reading {
  readonly document: JsonObject;
  readonly index: ReferenceIndex;
  /** The id around; empty in the document itself. */
  readonly base: string;
}

function rewrite(value: Json, around: Reading): Json {
  if (Array.isArray(value)) {
    const entries = value.map((each) => rewrite(each, around));
    return entries.some((each, at) => each !== value[at]) ? entries : value;
  }
  if (!isJsonObject(value)) return value;
  const id = textAt(value, '$id');
  if (id === undefined || id.startsWith('#')) return rewriteMembers(value, around);
  const base = resolveUri(around.base, splitFragment(id)[0]);
  // A schema in a dialect of its own is left alone.
  if (!around.index.resources.has(base) || textAt(value, '$schema') !== undefined) return value;
  const { $id: _, ...written } = rewriteMembers(value, { ...around, base });
  // Below an id, a pointer is one within that schema, so the id stays if anything needs it.
  return leadsElsewhere(written) ? value : written;
}

/** Whether an id, or a reference that is no pointer, is left. */
function leadsElsewhere(value: Json): boolean {
  if (Array.isArray(value)) return value.some(leadsElsewhere);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => {
    if (typeof member !== 'string') return !dataMembers.has(key) && leadsElsewhere(member);
    const isReference = key === '$ref' || key === '$dynamicRef';
    return key === '$id' || (isReference && !member.startsWith('#/'));
  });
}

function rewriteMembers(value: JsonObject, reading: Reading): JsonObject {
  const members = Object.entries(value).map(([key, member]): readonly [string, Json] => {
    if (key === '$ref' && typeof member === 'string')
      return [key, pointerOf(member, reading) ?? member];
    if (key === '$dynamicRef' && typeof member === 'string' && value.$ref === undefined) {
      const pointer = isFixed(member, reading) ? pointerOf(member, reading) : undefined;
      return pointer === undefined ? [key, member] : ['$ref', pointer];
    }
    if (key === 'discriminator') return [key, rewriteMapping(member, reading)];
    return [key, dataMembers.has(key) ? member : rewrite(member, reading)];
  });
  const isChanged = members.some(([key, member]) => value[key] !== member);
  return isChanged ? Object.fromEntries(members) : value;
}

/** A mapping may also say the name of a schema, which leads to no place as a reference. */
function rewriteMapping(value: Json, reading: Reading): Json {
  const mapping = objectAt(value, 'mapping');
  if (mapping === undefined || !isJsonObject(value)) return value;
  const targets = Object.entries(mapping).map(([tag, target]): readonly [string, Json] => [
    tag,
    typeof target === 'string' ? (pointerOf(target, reading) ?? target) : target,
  ]);
  return { ...value, mapping: Object.fromEntries(targets) };
}

/** A dynamic reference that leads to the same place from everywhere. */
function isFixed(reference: string, { index }: Reading): boolean {
  const name = splitFragment(reference)[1];
  const holders = [...index.dynamicAnchors.values()].filter((names) => names.has(name));
  return holders.length < 2;
}

/** Undefined if it has no target. */
function pointerOf(reference: string, { document, index, base }: Reading): string | undefined {
  const [stated, fragment] = splitFragment(reference);
  const uri = resolveUri(base, stated);
  const start = uri === '' ? [] : stepsOf(index.resources.get(uri));
  if (start === undefined) return undefined;
  const tokens = pointerTokens(`#${fragment}`);
  if (tokens !== null) return toPointer([...start, ...tokens]);
  const resource = findByTokens(document, start);
  const anchors =
    typeof resource === 'object' && resource !== null ? index.anchors.get(resource) : undefined;
  const steps = stepsOf(anchors?.get(fragment));
  return steps === undefined ? undefined : toPointer(steps);
}

function stepsOf(named: Named | undefined): readonly string[] | undefined {
  if (named === undefined || named === 'repeated') return undefined;
  return named.steps.map(String);
}
