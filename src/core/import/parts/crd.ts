// Reads a CustomResourceDefinition, or Crossplane's CompositeResourceDefinition: the schema of each
// served version. Structural schemas are OpenAPI 3.0 with rules of their own.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { arrayAt, memberOf, objectAt, placeOf, textAt, textsAt } from '../read-json.ts';
import type { ParsedParts, SchemaPart } from './parts.ts';

/** @example parseCrd(manifest).parts[0].name // 'Certificate cert-manager.io/v1' */
export function parseCrd(manifest: Json): ParsedParts {
  const spec = objectAt(manifest, 'spec');
  const group = textAt(spec, 'group') ?? '';
  const kind = textAt(objectAt(spec, 'names'), 'kind') ?? '';
  const problems: ImportProblem[] = [];
  const versions = versionsOf(spec);
  const parts = versions
    .filter(({ source }) => memberOf(source, 'served') !== false)
    .map(({ source, schema, place }): SchemaPart => {
      const name = `${kind} ${group}/${textAt(source, 'name') ?? ''}`;
      if (schema === undefined) {
        const message = `${name} has no schema, so its objects are not compared.`;
        problems.push(itemProblem('UNREADABLE_ITEM', message, place));
        return { name, terms: null, place };
      }
      const read = readStructural(schema, { name, place, path: '', problems });
      const isDeprecated = memberOf(source, 'deprecated') === true && isJsonObject(read);
      const told = isDeprecated ? { ...read, deprecated: true } : read;
      const terms = { schema: told, direction: 'data', format: 'jsonschema' } as const;
      return { name, terms: { ...terms, dialect: 'openapi-3.0' }, place };
    });
  problems.push(...storageProblems(manifest, versions));
  if (parts.length > 0) return { parts, problems };
  const message = 'The CustomResourceDefinition has no served version, so nothing is compared.';
  return { parts, problems: [itemProblem('UNREADABLE_ITEM', message, '$')] };
}

interface Version {
  readonly source: Json;
  readonly schema: Json | undefined;
  readonly place: string;
}

/** Before v1, all versions could share one schema, and a single version needed no list. */
function versionsOf(spec: JsonObject | undefined): readonly Version[] {
  const shared = memberOf(objectAt(spec, 'validation'), 'openAPIV3Schema');
  const sharedPlace = '$.spec.validation.openAPIV3Schema';
  const single = textAt(spec, 'version');
  const listed = arrayAt(spec, 'versions') ?? (single === undefined ? [] : [{ name: single }]);
  return listed.map((source, index) => {
    const place = `$.spec.versions[${index}].schema.openAPIV3Schema`;
    const own = memberOf(objectAt(source, 'schema'), 'openAPIV3Schema');
    return own === undefined
      ? { source, schema: shared, place: sharedPlace }
      : { source, schema: own, place };
  });
}

interface Reading {
  readonly name: string;
  readonly place: string;
  /** The fields on the way, for people: `.spec.rules[]`. */
  readonly path: string;
  readonly problems: ImportProblem[];
}

/** Where schemas are within a structural schema. */
const single = ['items', 'additionalProperties', 'not'];
const lists = ['allOf', 'anyOf', 'oneOf'];

function readStructural(schema: Json, reading: Reading): Json {
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    const place = placeOf(reading.place, key);
    if (key.startsWith('x-kubernetes-')) {
      if (mayRefuse(key, value)) reading.problems.push(unjudged(key, value, { ...reading, place }));
      return [];
    }
    // Kept, it would be an annotation.
    if (key === 'format' && typeof value === 'string' && ownFormats.has(value)) {
      reading.problems.push(unjudged(`${key} ${value}`, value, { ...reading, place }));
      return [];
    }
    if (single.includes(key)) {
      const path = key === 'items' ? `${reading.path}[]` : `${reading.path}.*`;
      return [[key, readStructural(value, { ...reading, place, path })]];
    }
    if (lists.includes(key) && Array.isArray(value)) {
      const read = value.map((each, index) =>
        readStructural(each, { ...reading, place: `${place}[${index}]` }),
      );
      return [[key, read]];
    }
    if (key !== 'properties' || !isJsonObject(value)) return [[key, value]];
    const read = Object.entries(value).map(([name, each]) => [
      name,
      readStructural(each, {
        ...reading,
        place: placeOf(place, name),
        path: `${reading.path}.${name}`,
      }),
    ]);
    return [[key, Object.fromEntries(read)]];
  });
  return withRules(Object.fromEntries(members), schema);
}

/** Formats that the API server checks, and no specification of schemas has. */
const ownFormats: ReadonlySet<string> = new Set([
  ...['bsonobjectid', 'cidr', 'mac', 'uuid3', 'uuid4', 'uuid5', 'isbn', 'isbn10', 'isbn13'],
  ...['creditcard', 'ssn', 'hexcolor', 'rgbcolor', 'datetime', 'k8s-short-name', 'k8s-long-name'],
]);

/** Rules that are read, or that only say how values are merged. */
const harmless: ReadonlySet<string> = new Set([
  'x-kubernetes-int-or-string',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-map-type',
  'x-kubernetes-group-version-kind',
]);

/** A list of type set or map has no duplicates; any other rule may refuse values, too. */
function mayRefuse(key: string, value: Json): boolean {
  return !harmless.has(key) && !(key === 'x-kubernetes-list-type' && value === 'atomic');
}

function unjudged(key: string, value: Json, { name, path, place }: Reading): ImportProblem {
  const message = `${name}${path === '' ? '' : `, ${path}`}: ${key} is not judged.`;
  return { ...itemProblem('UNJUDGED_RULE', message, place), unread: value };
}

/** The two rules that say which values are valid. */
function withRules(read: JsonObject, source: JsonObject): JsonObject {
  if (source['x-kubernetes-int-or-string'] === true && read.anyOf === undefined) {
    return { ...read, anyOf: [{ type: 'integer' }, { type: 'string' }] };
  }
  if (source['x-kubernetes-embedded-resource'] !== true) return read;
  const own = objectAt(read, 'properties') ?? {};
  const text = { type: 'string' };
  return {
    ...read,
    properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, ...own },
    required: [...new Set(['apiVersion', 'kind', ...textsAt(read, 'required')])],
  };
}

function storageProblems(manifest: Json, versions: readonly Version[]): readonly ImportProblem[] {
  const names = versions.flatMap(({ source }) => textAt(source, 'name') ?? []);
  const stored = versions.find(({ source }) => memberOf(source, 'storage') === true);
  const current = textAt(stored?.source, 'name');
  const lost = textsAt(objectAt(manifest, 'status'), 'storedVersions').filter(
    (name) => !names.includes(name),
  );
  return [
    ...(current === undefined || names.length < 2
      ? []
      : [
          itemProblem(
            'STORED_VERSION',
            `Objects are stored as ${current}. Migrate those that are stored as another version before it leaves spec.versions.`,
            '$.spec.versions',
          ),
        ]),
    ...lost.map((name) =>
      itemProblem(
        'STORED_VERSION',
        `Objects may still be stored as ${name}, which is no longer in spec.versions. Migrate them first.`,
        '$.status.storedVersions',
      ),
    ),
  ];
}
