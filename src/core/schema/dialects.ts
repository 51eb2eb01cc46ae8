// Which keywords each dialect has, as a table. What a dialect does not have is an annotation.

import type { Dialect } from '../containment/containment.types.ts';

export type Keyword = keyof typeof keywordDialects;

const from04 = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12', 'openapi-3.1'] as const;
const from06 = ['draft-06', 'draft-07', '2019-09', '2020-12', 'openapi-3.1'] as const;
const from07 = ['draft-07', '2019-09', '2020-12', 'openapi-3.1'] as const;
const from19 = ['2019-09', '2020-12', 'openapi-3.1'] as const;
const from20 = ['2020-12', 'openapi-3.1'] as const;
const before20 = ['draft-04', 'draft-06', 'draft-07', '2019-09'] as const;
const before19 = ['draft-04', 'draft-06', 'draft-07'] as const;
const all = [...from04, 'openapi-3.0'] as const;

const keywordDialects = {
  $ref: all,
  $dynamicRef: from20,
  $recursiveRef: ['2019-09'],
  type: all,
  enum: all,
  const: from06,
  minimum: all,
  maximum: all,
  exclusiveMinimum: all,
  exclusiveMaximum: all,
  multipleOf: all,
  minLength: all,
  maxLength: all,
  pattern: all,
  format: all,
  prefixItems: from20,
  items: all,
  additionalItems: before20,
  contains: from06,
  minContains: from19,
  maxContains: from19,
  minItems: all,
  maxItems: all,
  uniqueItems: all,
  unevaluatedItems: from19,
  properties: all,
  patternProperties: from04,
  additionalProperties: all,
  unevaluatedProperties: from19,
  propertyNames: from06,
  required: all,
  minProperties: all,
  maxProperties: all,
  dependencies: before19,
  dependentRequired: from19,
  dependentSchemas: from19,
  allOf: all,
  anyOf: all,
  oneOf: all,
  not: all,
  if: from07,
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword; nothing awaits this table.
  then: from07,
  else: from07,
  nullable: ['openapi-3.0'],
} as const satisfies Record<string, readonly Dialect[]>;

const keywordsByDialect: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  all.map((dialect) => [
    dialect,
    new Set(
      Object.entries(keywordDialects)
        .filter(([, dialects]) => (dialects as readonly Dialect[]).includes(dialect))
        .map(([keyword]) => keyword),
    ),
  ]),
);

const noKeywords: ReadonlySet<string> = new Set();

/** The keywords that constrain in a dialect. */
export function keywordsOf(dialect: Dialect): ReadonlySet<string> {
  return keywordsByDialect.get(dialect) ?? noKeywords;
}

/** What stands beside `$ref` counts from 2019-09 on. */
export function ignoresRefSiblings(dialect: Dialect): boolean {
  return (before19 as readonly Dialect[]).includes(dialect) || dialect === 'openapi-3.0';
}

/** `exclusiveMinimum: true` beside `minimum`, instead of a number of its own. */
export function hasBooleanExclusive(dialect: Dialect): boolean {
  return dialect === 'draft-04' || dialect === 'openapi-3.0';
}

export function isOpenApi(dialect: Dialect): boolean {
  return dialect === 'openapi-3.0' || dialect === 'openapi-3.1';
}

/** The keyword that names a schema; OpenAPI 3.0 has none. */
export function idKeyword(dialect: Dialect): '$id' | 'id' | undefined {
  if (dialect === 'openapi-3.0') return undefined;
  return dialect === 'draft-04' ? 'id' : '$id';
}

/** A map: `$schema` is written by anybody, and `toString` names no dialect. */
const dialectUris: ReadonlyMap<string, Dialect> = new Map([
  ['http://json-schema.org/draft-04/schema', 'draft-04'],
  ['http://json-schema.org/draft-06/schema', 'draft-06'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['https://spec.openapis.org/oas/3.1/dialect/base', 'openapi-3.1'],
]);

/** The dialect that a `$schema` names, in http or https, with or without its empty fragment. */
export function dialectOfUri(uri: string): Dialect | undefined {
  const plain = uri.endsWith('#') ? uri.slice(0, -1) : uri;
  return (
    dialectUris.get(plain) ??
    dialectUris.get(plain.replace(/^https:/, 'http:')) ??
    dialectUris.get(plain.replace(/^http:/, 'https:'))
  );
}
