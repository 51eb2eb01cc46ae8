// The only table of keywords: the dialects of a keyword, the form of its value, and its purpose.
// Readers, the reference index, the metaschema check and the bundler are made from it. A keyword
// that a dialect does not have in this table is data there: it constrains nothing and names
// nothing, and it is not searched for schemas.

import { isJsonObject, type Json } from '../value/json.ts';
import { type Dialect, dialectOfUri } from './dialects.ts';

/** The required form of a keyword's value. */
export type Shape =
  | 'anything'
  | 'text'
  | 'flag'
  | 'number'
  | 'positive'
  | 'count'
  /** Small enough to be counted one by one. */
  | 'small_count'
  | 'list'
  /** At least one value, without duplicates. */
  | 'distinct_list'
  | 'texts'
  /** At least one string. */
  | 'some_texts'
  | 'pattern'
  | 'type_name'
  | 'type_names'
  | 'schema'
  | 'schema_or_flag'
  | 'schemas'
  | 'schema_or_schemas'
  | 'schema_map'
  | 'pattern_map'
  /** The metaschema does not check its patterns. */
  | 'early_pattern_map'
  | 'texts_map'
  | 'dependencies'
  | 'some_dependencies'
  | 'dialect'
  | 'old_id'
  | 'id'
  | 'anchor'
  | 'early_anchor'
  | 'flag_map'
  | 'reference'
  | 'components';

/** The purpose of a keyword. */
type Use =
  /** Constrains the value itself. */
  | 'asserts'
  /** Applies its schemas to the same value. */
  | 'applies_in_place'
  /** Applies its schemas to the members or items of the value. */
  | 'applies_inside'
  /** Changes the meaning of a keyword beside it. */
  | 'modifies'
  /** Applies the schema that it refers to. */
  | 'refers'
  /** Names the schema, or its dialect. */
  | 'names'
  /** Contains schemas for references. */
  | 'holds'
  /** Does not constrain values. */
  | 'annotates'
  /** No longer part of the dialect, and validators disagree: see docs/compatibility.md. */
  | 'disputed'
  /** No longer part of the dialect; only its metaschema still restricts its form. */
  | 'former';

export interface Keyword {
  readonly name: string;
  readonly shape: Shape;
  readonly use: Use;
}

type Row = readonly [name: string, dialects: readonly Dialect[], shape: Shape, use: Use];

const drafts = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;
const openApi = ['openapi-3.0', 'openapi-3.1'] as const;
export const dialects: readonly Dialect[] = [...drafts, ...openApi];

/** The dialect without a `$schema`, unless the caller names another one. */
export const defaultDialect: Dialect = '2020-12';

/**
 * The dialect of a schema: that of its `$schema` if it is known, else the stated one, else the default.
 *
 * @example dialectOf({ $schema: 'http://json-schema.org/draft-07/schema#' }) // 'draft-07'
 */
export function dialectOf(schema: Json, stated?: Dialect): Dialect {
  const named = isJsonObject(schema) ? schema.$schema : undefined;
  const own = typeof named === 'string' ? dialectOfUri(named) : undefined;
  return own ?? stated ?? defaultDialect;
}

const only04 = ['draft-04'] as const;
const only06 = ['draft-06'] as const;
const only19 = ['2019-09'] as const;
const only20 = ['2020-12', 'openapi-3.1'] as const;
const only30 = ['openapi-3.0'] as const;
const from19 = [...only19, ...only20] as const;
const from07 = ['draft-07', ...from19] as const;
const from06 = [...only06, ...from07] as const;
const from04 = [...only04, ...from06] as const;
const old = ['draft-04', 'draft-06', 'draft-07'] as const;
const all = [...from04, ...only30] as const;

const rows: readonly Row[] = [
  ['$schema', only04, 'text', 'names'],
  ['$schema', from06, 'dialect', 'names'],
  ['id', only04, 'text', 'names'],
  ['$id', ['draft-06', 'draft-07'], 'old_id', 'names'],
  ['$id', from19, 'id', 'names'],
  ['$anchor', only19, 'early_anchor', 'names'],
  ['$anchor', only20, 'anchor', 'names'],
  ['$dynamicAnchor', only20, 'anchor', 'names'],
  ['$recursiveAnchor', only19, 'flag', 'names'],
  ['$recursiveAnchor', only20, 'anchor', 'former'],
  ['$vocabulary', from19, 'flag_map', 'names'],
  ['$ref', all, 'reference', 'refers'],
  ['$recursiveRef', only19, 'reference', 'refers'],
  ['$recursiveRef', only20, 'reference', 'former'],
  ['$dynamicRef', only20, 'reference', 'refers'],
  ['$comment', from07, 'text', 'annotates'],
  ['$defs', from19, 'schema_map', 'holds'],
  // Contracts made from OpenAPI 3.0 documents keep referenced schemas there.
  ['$defs', only30, 'anything', 'holds'],
  ['definitions', from04, 'schema_map', 'holds'],
  ['components', openApi, 'components', 'holds'],
  ['title', all, 'text', 'annotates'],
  ['description', all, 'text', 'annotates'],
  ['default', all, 'anything', 'annotates'],
  ['examples', from06, 'list', 'annotates'],
  ['readOnly', [...from07, ...only30], 'flag', 'annotates'],
  ['writeOnly', [...from07, ...only30], 'flag', 'annotates'],
  ['deprecated', [...from19, ...only30], 'flag', 'annotates'],
  ['example', openApi, 'anything', 'annotates'],
  ['externalDocs', openApi, 'anything', 'annotates'],
  ['xml', openApi, 'anything', 'annotates'],
  ['discriminator', openApi, 'anything', 'annotates'],
  ['nullable', only30, 'flag', 'modifies'],
  ['type', from04, 'type_names', 'asserts'],
  ['type', only30, 'type_name', 'asserts'],
  ['const', from06, 'anything', 'asserts'],
  ['enum', [...only04, ...only06], 'distinct_list', 'asserts'],
  ['enum', [...from07, ...only30], 'list', 'asserts'],
  ['multipleOf', all, 'positive', 'asserts'],
  ['maximum', all, 'number', 'asserts'],
  ['minimum', all, 'number', 'asserts'],
  ['exclusiveMaximum', [...only04, ...only30], 'flag', 'modifies'],
  ['exclusiveMinimum', [...only04, ...only30], 'flag', 'modifies'],
  ['exclusiveMaximum', from06, 'number', 'asserts'],
  ['exclusiveMinimum', from06, 'number', 'asserts'],
  ['maxLength', all, 'count', 'asserts'],
  ['minLength', all, 'count', 'asserts'],
  ['pattern', all, 'pattern', 'asserts'],
  ['format', all, 'text', 'asserts'],
  ['contentMediaType', from07, 'text', 'annotates'],
  ['contentEncoding', from07, 'text', 'annotates'],
  ['contentSchema', from19, 'schema', 'annotates'],
  ['items', [...old, ...only19], 'schema_or_schemas', 'applies_inside'],
  ['items', [...only20, ...only30], 'schema', 'applies_inside'],
  ['prefixItems', only20, 'schemas', 'applies_inside'],
  ['additionalItems', only04, 'schema_or_flag', 'applies_inside'],
  ['additionalItems', ['draft-06', 'draft-07', '2019-09'], 'schema', 'applies_inside'],
  ['contains', from06, 'schema', 'applies_inside'],
  ['minContains', from19, 'small_count', 'modifies'],
  ['maxContains', from19, 'small_count', 'modifies'],
  ['maxItems', all, 'count', 'asserts'],
  ['minItems', all, 'count', 'asserts'],
  ['uniqueItems', all, 'flag', 'asserts'],
  ['unevaluatedItems', from19, 'schema', 'applies_inside'],
  ['properties', all, 'schema_map', 'applies_inside'],
  ['patternProperties', [...only04, ...only06], 'early_pattern_map', 'applies_inside'],
  ['patternProperties', from07, 'pattern_map', 'applies_inside'],
  ['additionalProperties', [...only04, ...only30], 'schema_or_flag', 'applies_inside'],
  ['additionalProperties', from06, 'schema', 'applies_inside'],
  ['unevaluatedProperties', from19, 'schema', 'applies_inside'],
  ['propertyNames', from06, 'schema', 'applies_inside'],
  ['required', only04, 'some_texts', 'asserts'],
  ['required', [...from06, ...only30], 'texts', 'asserts'],
  ['maxProperties', all, 'count', 'asserts'],
  ['minProperties', all, 'count', 'asserts'],
  ['dependencies', only04, 'some_dependencies', 'applies_in_place'],
  ['dependencies', ['draft-06', 'draft-07'], 'dependencies', 'applies_in_place'],
  ['dependencies', from19, 'dependencies', 'disputed'],
  ['dependentRequired', from19, 'texts_map', 'asserts'],
  ['dependentSchemas', from19, 'schema_map', 'applies_in_place'],
  ['allOf', all, 'schemas', 'applies_in_place'],
  ['anyOf', all, 'schemas', 'applies_in_place'],
  ['oneOf', all, 'schemas', 'applies_in_place'],
  ['not', all, 'schema', 'applies_in_place'],
  ['if', from07, 'schema', 'applies_in_place'],
  ['then', from07, 'schema', 'applies_in_place'],
  ['else', from07, 'schema', 'applies_in_place'],
];

const tables: ReadonlyMap<Dialect, ReadonlyMap<string, Keyword>> = new Map(
  dialects.map((dialect) => [dialect, tableOf(dialect)]),
);

function tableOf(dialect: Dialect): ReadonlyMap<string, Keyword> {
  const own = rows.filter(([, where]) => where.includes(dialect));
  return new Map(own.map(([name, , shape, use]) => [name, { name, shape, use }]));
}

/** The keywords of a dialect, by name. */
export function keywordsOf(dialect: Dialect): ReadonlyMap<string, Keyword> {
  return tables.get(dialect) ?? new Map();
}

const silent: ReadonlySet<Use> = new Set(['names', 'holds', 'annotates', 'former']);

const constraints: ReadonlyMap<Dialect, ReadonlyMap<string, Keyword>> = new Map(
  dialects.map((dialect) => [
    dialect,
    new Map([...keywordsOf(dialect)].filter(([, { use }]) => !silent.has(use))),
  ]),
);

/** The keywords that constrain values, or that some validators treat so. */
export function constraintsOf(dialect: Dialect): ReadonlyMap<string, Keyword> {
  return constraints.get(dialect) ?? new Map();
}

const constraining: ReadonlySet<string> = new Set(
  rows.filter(([, , , use]) => !silent.has(use)).map(([name]) => name),
);

/** Whether the dialect ignores a keyword that constrains values in another dialect. */
export function isIgnored(dialect: Dialect, keyword: string): boolean {
  return constraining.has(keyword) && !keywordsOf(dialect).has(keyword);
}

const structural: ReadonlySet<string> = new Set(
  rows
    .filter(([name, , , use]) => name !== 'components' && (use === 'names' || use === 'holds'))
    .map(([name]) => name),
);

/** Names or contains schemas in some dialect, so it is an annotation in none. */
function isStructural(keyword: string): boolean {
  return structural.has(keyword);
}

/** An annotation: a title, a default, or any keyword that the dialect does not have. */
export function isAnnotation(dialect: Dialect, keyword: string): boolean {
  return !constraintsOf(dialect).has(keyword) && !isStructural(keyword);
}

/** The arrangement of schemas in the value of a keyword. */
type Holding = 'schema' | 'schemas' | 'schema_map' | 'components';

const holdings: Readonly<Partial<Record<Shape, Holding>>> = {
  schema: 'schema',
  schema_or_flag: 'schema',
  schemas: 'schemas',
  schema_map: 'schema_map',
  pattern_map: 'schema_map',
  early_pattern_map: 'schema_map',
  dependencies: 'schema_map',
  some_dependencies: 'schema_map',
  components: 'components',
};

/** Undefined if the value contains no schemas, and if the dialect does not have the keyword. */
export function holdingOf(dialect: Dialect, keyword: string, isList: boolean): Holding | undefined {
  const shape = keywordsOf(dialect).get(keyword)?.shape;
  if (shape === undefined) return undefined;
  if (shape === 'schema_or_schemas') return isList ? 'schemas' : 'schema';
  return holdings[shape];
}

export function isOpenApi(dialect: Dialect): boolean {
  return (openApi as readonly Dialect[]).includes(dialect);
}

/** draft-04 and OpenAPI 3.0 have no boolean schemas. */
export function hasBooleanSchemas(dialect: Dialect): boolean {
  return !isFirst(dialect);
}

/** `exclusiveMinimum: true` beside `minimum`, instead of a separate number. */
export function hasBooleanExclusive(dialect: Dialect): boolean {
  return isFirst(dialect);
}

/** Whether `exclusiveMinimum: true` without a `minimum` is invalid. */
export function requiresBoundBesideFlag(dialect: Dialect): boolean {
  return dialect === 'draft-04';
}

/** Whether 1.0 is not an `integer`; it is one since draft-06. */
export function asksForWrittenIntegers(dialect: Dialect): boolean {
  return isFirst(dialect);
}

/** OpenAPI 3.0 is based on the draft between draft-04 and draft-06. */
function isFirst(dialect: Dialect): boolean {
  return dialect === 'draft-04' || dialect === 'openapi-3.0';
}

/** Siblings of `$ref` count since 2019-09. */
export function ignoresRefSiblings(dialect: Dialect): boolean {
  return (old as readonly Dialect[]).includes(dialect) || dialect === 'openapi-3.0';
}

/** The keyword under which shared schemas are kept; OpenAPI 3.0 has it for contracts made from it. */
export function definitionsKeyword(dialect: Dialect): '$defs' | 'definitions' {
  return keywordsOf(dialect).has('$defs') ? '$defs' : 'definitions';
}

/** The keyword by which one property demands others; OpenAPI 3.0 has none. */
export function dependentKeyword(dialect: Dialect): 'dependentRequired' | 'dependencies' {
  return keywordsOf(dialect).has('dependentRequired') ? 'dependentRequired' : 'dependencies';
}

/** Whether a part of a document may name another dialect; until draft-07 only the root names one. */
export function allowsOtherDialects(dialect: Dialect): boolean {
  return !(old as readonly Dialect[]).includes(dialect);
}

/**
 * Items that match `contains` are evaluated for `unevaluatedItems`; in 2019-09 validators disagree.
 */
export function evaluatesContained(dialect: Dialect): boolean | 'disputed' {
  if (dialect === '2019-09') return 'disputed';
  return (only20 as readonly Dialect[]).includes(dialect);
}

const idKeywords: ReadonlyMap<Dialect, '$id' | 'id' | undefined> = new Map(
  dialects.map((dialect) => {
    const table = keywordsOf(dialect);
    return [dialect, table.has('$id') ? '$id' : table.has('id') ? 'id' : undefined];
  }),
);

/** The keyword that names a schema; OpenAPI 3.0 has none. Called for every subschema. */
export function idKeyword(dialect: Dialect): '$id' | 'id' | undefined {
  return idKeywords.get(dialect);
}

const namingKeywords: ReadonlyMap<Dialect, readonly string[]> = new Map(
  dialects.map((dialect) => [
    dialect,
    [...keywordsOf(dialect).values()].filter(({ use }) => use === 'names').map(({ name }) => name),
  ]),
);

/** The keywords that give a schema a name or a dialect. */
export function namingKeywordsOf(dialect: Dialect): readonly string[] {
  return namingKeywords.get(dialect) ?? [];
}

/** Whether the target of a reference may depend on how it was reached. */
export function hasDynamicNames(dialect: Dialect): boolean {
  const names = namingKeywordsOf(dialect);
  return names.includes('$dynamicAnchor') || names.includes('$recursiveAnchor');
}

/** `$id: "#name"` names a location within the document, like `$anchor` in later dialects. */
export function hasIdAnchors(dialect: Dialect): boolean {
  return (old as readonly Dialect[]).includes(dialect);
}
