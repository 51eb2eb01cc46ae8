// What each keyword may hold, in each dialect: the metaschemas as a table, one row a keyword. A value
// of an unknown keyword may be anything.

import type { Dialect } from '../containment/containment.types.ts';

/** What the value of a keyword must be. */
export type Shape =
  | 'anything'
  | 'text'
  | 'flag'
  | 'number'
  | 'positive'
  | 'count'
  | 'list'
  /** At least one value, none twice. */
  | 'distinct_list'
  | 'texts'
  /** At least one text. */
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
  | 'texts_map'
  | 'dependencies'
  | 'some_dependencies'
  | 'dialect'
  | 'id'
  | 'anchor'
  | 'flag_map'
  | 'reference';

const order = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;

/** The first and the last dialect that reads the keyword so. */
type Span = readonly [(typeof order)[number], (typeof order)[number]];

const always: Span = ['draft-04', '2020-12'];
const only04: Span = ['draft-04', 'draft-04'];
const only19: Span = ['2019-09', '2019-09'];
const only20: Span = ['2020-12', '2020-12'];
const until19: Span = ['draft-04', '2019-09'];
const from06: Span = ['draft-06', '2020-12'];
const from07: Span = ['draft-07', '2020-12'];
const from19: Span = ['2019-09', '2020-12'];

/** OpenAPI 3.0 has rows of its own; 3.1 is 2020-12 with its own annotations. */
const rows: readonly (readonly [keyword: string, span: Span, shape: Shape, openapi30?: Shape])[] = [
  ['$schema', always, 'dialect'],
  ['id', only04, 'text'],
  ['$id', ['draft-06', 'draft-07'], 'text'],
  ['$id', from19, 'id'],
  ['$anchor', from19, 'anchor'],
  ['$dynamicAnchor', only20, 'anchor'],
  ['$recursiveAnchor', only19, 'flag'],
  ['$vocabulary', from19, 'flag_map'],
  ['$ref', always, 'reference', 'reference'],
  ['$recursiveRef', only19, 'reference'],
  ['$dynamicRef', only20, 'reference'],
  ['$comment', from07, 'text'],
  ['$defs', from19, 'schema_map'],
  ['definitions', always, 'schema_map'],
  ['title', always, 'text', 'text'],
  ['description', always, 'text', 'text'],
  ['default', always, 'anything', 'anything'],
  ['examples', from06, 'list'],
  ['readOnly', from07, 'flag', 'flag'],
  ['writeOnly', from19, 'flag', 'flag'],
  ['deprecated', from19, 'flag', 'flag'],
  ['nullable', only04, 'anything', 'flag'],
  ['type', always, 'type_names', 'type_name'],
  ['const', from06, 'anything'],
  ['enum', ['draft-04', 'draft-06'], 'distinct_list', 'list'],
  ['enum', from07, 'list'],
  ['multipleOf', always, 'positive', 'positive'],
  ['maximum', always, 'number', 'number'],
  ['minimum', always, 'number', 'number'],
  ['exclusiveMaximum', only04, 'flag', 'flag'],
  ['exclusiveMinimum', only04, 'flag', 'flag'],
  ['exclusiveMaximum', from06, 'number'],
  ['exclusiveMinimum', from06, 'number'],
  ['maxLength', always, 'count', 'count'],
  ['minLength', always, 'count', 'count'],
  ['pattern', always, 'pattern', 'pattern'],
  ['format', always, 'text', 'text'],
  ['contentMediaType', from07, 'text'],
  ['contentEncoding', from07, 'text'],
  ['contentSchema', from19, 'schema'],
  ['items', until19, 'schema_or_schemas', 'schema'],
  ['items', only20, 'schema'],
  ['prefixItems', only20, 'schemas'],
  ['additionalItems', only04, 'schema_or_flag'],
  ['additionalItems', ['draft-06', '2019-09'], 'schema'],
  ['contains', from06, 'schema'],
  ['minContains', from19, 'count'],
  ['maxContains', from19, 'count'],
  ['maxItems', always, 'count', 'count'],
  ['minItems', always, 'count', 'count'],
  ['uniqueItems', always, 'flag', 'flag'],
  ['unevaluatedItems', from19, 'schema'],
  ['properties', always, 'schema_map', 'schema_map'],
  ['patternProperties', always, 'pattern_map'],
  ['additionalProperties', only04, 'schema_or_flag', 'schema_or_flag'],
  ['additionalProperties', from06, 'schema'],
  ['unevaluatedProperties', from19, 'schema'],
  ['propertyNames', from06, 'schema'],
  ['required', only04, 'some_texts', 'texts'],
  ['required', from06, 'texts'],
  ['maxProperties', always, 'count', 'count'],
  ['minProperties', always, 'count', 'count'],
  ['dependencies', only04, 'some_dependencies'],
  ['dependencies', from06, 'dependencies'],
  ['dependentRequired', from19, 'texts_map'],
  ['dependentSchemas', from19, 'schema_map'],
  ['allOf', always, 'schemas', 'schemas'],
  ['anyOf', always, 'schemas', 'schemas'],
  ['oneOf', always, 'schemas', 'schemas'],
  ['not', always, 'schema', 'schema'],
  ['if', from07, 'schema'],
  ['then', from07, 'schema'],
  ['else', from07, 'schema'],
];

const shapesByDialect = new Map<Dialect, ReadonlyMap<string, Shape>>();

export function shapesOf(dialect: Dialect): ReadonlyMap<string, Shape> {
  const known = shapesByDialect.get(dialect);
  if (known !== undefined) return known;
  const shapes = new Map<string, Shape>();
  for (const [keyword, [first, last], shape, openapi30] of rows) {
    const own =
      dialect === 'openapi-3.0' ? openapi30 : isWithin(dialect, first, last) ? shape : null;
    if (own !== undefined && own !== null) shapes.set(keyword, own);
  }
  shapesByDialect.set(dialect, shapes);
  return shapes;
}

function isWithin(dialect: Dialect, first: Span[0], last: Span[1]): boolean {
  const index = order.findIndex((one) => one === (dialect === 'openapi-3.1' ? '2020-12' : dialect));
  return index >= order.indexOf(first) && index <= order.indexOf(last);
}

/** draft-04 and OpenAPI 3.0 know no boolean schemas. */
export function hasBooleanSchemas(dialect: Dialect): boolean {
  return dialect !== 'draft-04' && dialect !== 'openapi-3.0';
}
