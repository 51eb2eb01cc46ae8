// Other spellings of a schema that mean the same: those that compatibility.md names.

import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { definitionsKey } from './schemas.ts';
import type { Random } from './values.ts';

/** The same schema, written otherwise at places that the chance picks. */
export function rewrite(schema: Json, dialect: Dialect, random: Random): Json {
  const spelling: Spelling = { root: schema, dialect, random };
  const written = rewriteAt(spelling, schema, true);
  return random() < 0.3 ? renameDefinitions(written, dialect) : written;
}

interface Spelling {
  readonly root: Json;
  readonly dialect: Dialect;
  readonly random: Random;
}

/** `null` where the rewriting does not apply. */
type Rewriting = (schema: JsonObject, spelling: Spelling) => Json | null;

const since06 = (dialect: Dialect): boolean => dialect !== 'draft-04' && dialect !== 'openapi-3.0';
const ignoresSiblings = (dialect: Dialect): boolean =>
  ['draft-04', 'draft-06', 'draft-07', 'openapi-3.0'].includes(dialect);

const rewritings: readonly Rewriting[] = [
  // Order of keys, of required, of enum, of type lists.
  (schema) => Object.fromEntries(Object.entries(schema).toReversed()),
  (schema) => reversed(schema, 'required'),
  (schema) => reversed(schema, 'enum'),
  (schema) => reversed(schema, 'type'),
  (schema) => reversed(schema, 'anyOf'),
  (schema) => reversed(schema, 'oneOf'),
  (schema) => reversed(schema, 'allOf'),
  // "string" and ["string"].
  (schema, { dialect }) =>
    dialect !== 'openapi-3.0' && typeof schema.type === 'string'
      ? { ...schema, type: [schema.type] }
      : null,
  // $ref and its target inlined.
  inlineReference,
  // allOf and its merge.
  (schema) => (hasName(schema) || isTrivial(schema) ? null : { allOf: [schema] }),
  // const: 1 and enum: [1].
  (schema, { dialect }) => {
    if (!since06(dialect) || schema.const === undefined || schema.enum !== undefined) return null;
    const { const: only, ...rest } = schema;
    return { ...rest, enum: [only] };
  },
  (schema, { dialect }) => {
    const { enum: list, ...rest } = schema;
    const only = Array.isArray(list) && list.length === 1 ? list[0] : undefined;
    return since06(dialect) && only !== undefined && schema.const === undefined
      ? { ...rest, const: only }
      : null;
  },
  // {} and true.
  (schema, { dialect }) => (since06(dialect) && isTrivial(schema) ? true : null),
  // A nullable type and anyOf with a null branch.
  (schema) => {
    const { type, nullable, ...rest } = schema;
    if (Object.keys(rest).length > 0) return null;
    if (nullable === true && typeof type === 'string') {
      return { anyOf: [{ type }, { type, nullable: true, enum: [null] }] };
    }
    if (nullable !== undefined || !Array.isArray(type)) return null;
    return { anyOf: type.map((one) => ({ type: one })) };
  },
  // On integers minimum: 3 and exclusiveMinimum: 2.
  (schema, { dialect }) => {
    const { minimum, exclusiveMinimum, ...rest } = schema;
    const isApt = since06(dialect) && schema.type === 'integer' && exclusiveMinimum === undefined;
    return isApt && typeof minimum === 'number' && Number.isInteger(minimum)
      ? { ...rest, exclusiveMinimum: minimum - 1 }
      : null;
  },
  // Annotations.
  (schema) => (schema.$ref === undefined ? { ...schema, title: 'x', 'x-more': { type: 3 } } : null),
];

function reversed(schema: JsonObject, keyword: string): JsonObject | null {
  const list = schema[keyword];
  return Array.isArray(list) ? { ...schema, [keyword]: list.toReversed() } : null;
}

function hasName(schema: JsonObject): boolean {
  return Object.keys(schema).some((key) =>
    /^\$(id|anchor|dynamicAnchor|defs)$|^definitions$/.test(key),
  );
}

/** What says nothing must go on saying nothing, where closed(S) looks at what is said. */
function isTrivial(schema: JsonObject): boolean {
  return Object.keys(schema).length === 0;
}

function inlineReference(schema: JsonObject, { root, dialect }: Spelling): Json | null {
  const { $ref, ...rest } = schema;
  if (typeof $ref !== 'string' || $ref === '#' || hasName(schema)) return null;
  let target: Json | undefined = root;
  for (const token of $ref.split('/').slice(1))
    target = isJsonObject(target) ? target[token] : undefined;
  if (!isJsonObject(target) || isTrivial(target) || hasName(target)) return null;
  if (ignoresSiblings(dialect) || Object.keys(rest).length === 0) return target;
  const allOf = Array.isArray(rest.allOf) ? rest.allOf : [];
  return { ...rest, allOf: [...allOf, target] };
}

const single = [
  ...['items', 'additionalItems', 'contains', 'additionalProperties', 'unevaluatedProperties'],
  ...['unevaluatedItems', 'propertyNames', 'not', 'if', 'then', 'else'],
];
const lists = ['prefixItems', 'items', 'allOf', 'anyOf', 'oneOf'];
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

function rewriteAt(spelling: Spelling, schema: Json, isRoot: boolean): Json {
  const { random, dialect } = spelling;
  if (schema === true && since06(dialect) && random() < 0.3) return {};
  if (!isJsonObject(schema)) return schema;
  const inside: Record<string, Json> = { ...schema };
  const deeper = (part: Json): Json => rewriteAt(spelling, part, false);
  for (const [key, part] of Object.entries(schema)) {
    if (Array.isArray(part) && lists.includes(key)) inside[key] = part.map(deeper);
    else if (single.includes(key)) inside[key] = deeper(part);
    else if (maps.includes(key) && isJsonObject(part)) {
      inside[key] = Object.fromEntries(
        Object.entries(part).map(([name, one]) => [name, deeper(one)]),
      );
    }
  }
  if (random() < 0.5) return inside;
  const chosen = rewritings[Math.floor(random() * rewritings.length)];
  const written = chosen?.(inside, spelling) ?? inside;
  return isRoot && !isJsonObject(written) ? inside : written;
}

/** definitions and $defs. */
function renameDefinitions(schema: Json, dialect: Dialect): Json {
  if (definitionsKey(dialect) !== '$defs' || !isJsonObject(schema)) return schema;
  const { $defs, ...rest } = schema;
  if ($defs === undefined) return schema;
  const text = JSON.stringify({ ...rest, definitions: $defs });
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/definitions/')) as Json;
}
