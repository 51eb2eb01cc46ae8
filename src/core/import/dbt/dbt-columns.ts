// The columns of a node: their metadata, and the schema from their declared types.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { arrayAt, memberOf, objectAt, placeOf, textAt, textsAt } from '../read-json.ts';
import { orNull, type SqlTypeSchema, schemaOfSqlType } from '../sql-type.ts';

export interface DbtColumn {
  readonly name: string;
  readonly dataType: string;
  readonly description: string;
  readonly constraints: readonly Json[];
  /** By a tag `pii`, or `pii` or `contains_pii` in its meta. */
  readonly isPersonal: boolean;
  /** The node's place and the column's key: the path is built only for problems. */
  readonly place: string;
  readonly key: string;
}

interface ColumnSchemaOptions {
  /** If off, a column's schema does not say whether it may be null. */
  readonly nullableColumns: boolean;
  /** If off, columns that are never null are guaranteed but not `required` in the schema. */
  readonly notNullAsRequired: boolean;
}

export function readColumns(node: JsonObject, place: string): readonly DbtColumn[] {
  const columns = objectAt(node, 'columns') ?? {};
  return Object.entries(columns).flatMap(([key, column]) => {
    if (!isJsonObject(column)) return [];
    return [
      {
        name: textAt(column, 'name') ?? key,
        dataType: (textAt(column, 'data_type') ?? '').trim(),
        description: textAt(column, 'description') ?? '',
        constraints: arrayAt(column, 'constraints') ?? [],
        isPersonal: isPersonal(column),
        place,
        key,
      },
    ];
  });
}

/** Since dbt 1.10, tags and meta stand under `config`, too. */
function isPersonal(column: JsonObject): boolean {
  return [column, objectAt(column, 'config')].some((holder) => {
    const meta = objectAt(holder, 'meta');
    const isStated = ['pii', 'contains_pii'].some((key) => memberOf(meta, key) === true);
    return isStated || textsAt(holder, 'tags').some((tag) => tag.toLowerCase() === 'pii');
  });
}

export function toColumnMetadata(columns: readonly DbtColumn[]): JsonObject {
  return Object.fromEntries(
    columns.map(({ name, dataType, description }) => [name, { data_type: dataType, description }]),
  );
}

/** Parses each data type once, however many columns have it. */
export type TypeCache = (dataType: string) => SqlTypeSchema;

export function cacheTypes(isIntegerAtScale0: boolean): TypeCache {
  const known = new Map<string, SqlTypeSchema>();
  return (dataType) => {
    const found = known.get(dataType) ?? schemaOfSqlType(dataType, { isIntegerAtScale0 });
    known.set(dataType, found);
    return found;
  };
}

/**
 * The schema of the columns that declare a type; null if none does.
 *
 * @example toRowSchema([{ name: 'id', dataType: 'bigint', ... }], new Set(), types, options, [])
 * // { type: 'object', properties: { id: { type: 'integer' } } }
 */
export function toRowSchema(
  columns: readonly DbtColumn[],
  neverNull: ReadonlySet<string>,
  types: TypeCache,
  options: ColumnSchemaOptions,
  problems: ImportProblem[],
): JsonObject | null {
  const root: Branch = { schema: { type: 'object' }, fields: null };
  for (const column of parentsFirst(columns)) {
    if (column.dataType === '') continue;
    const { schema, unknownNames } = types(column.dataType);
    if (unknownNames.length > 0) problems.push(unknownType(column, unknownNames));
    const { branch, name } = homeOf(root, column.name);
    branch.fields ??= new Map();
    branch.fields.set(name, {
      schema: describe(nullable(schema, column.name, neverNull, options), column),
      fields: null,
    });
  }
  if (root.fields === null) return null;
  const required = options.notNullAsRequired
    ? [...root.fields.keys()].filter((name) => neverNull.has(name))
    : [];
  const schema = toSchema(root);
  return required.length === 0 ? schema : { ...schema, required };
}

/** A column with the fields that columns of dotted names (`address.city`) add to it. */
interface Branch {
  readonly schema: JsonObject;
  fields: Map<string, Branch> | null;
}

/** BigQuery's nested fields are columns of dotted names, which may come before their parent. */
function parentsFirst(columns: readonly DbtColumn[]): readonly DbtColumn[] {
  if (!columns.some((column) => column.name.includes('.'))) return columns;
  const depthOf = (column: DbtColumn) => column.name.split('.').length;
  return [...columns].sort((a, b) => depthOf(a) - depthOf(b));
}

/** The deepest declared struct on the path of the dotted name; a name without one stays whole. */
function homeOf(root: Branch, name: string): { readonly branch: Branch; readonly name: string } {
  let branch = root;
  let rest = name;
  for (let dot = rest.indexOf('.'); dot > 0; dot = rest.indexOf('.')) {
    const next: Branch | undefined = branch.fields?.get(rest.slice(0, dot));
    if (next === undefined || !holdsFields(next.schema)) break;
    branch = next;
    rest = rest.slice(dot + 1);
  }
  return { branch, name: rest };
}

function holdsFields(schema: JsonObject): boolean {
  return hasType(schema, 'object') || hasType(schema, 'array');
}

function hasType(schema: JsonObject, type: string): boolean {
  const stated = memberOf(schema, 'type');
  return stated === type || (Array.isArray(stated) && stated.includes(type));
}

/**
 * Nests as deeply as dotted names do, which is limited by the length of a name and by the limit of
 * schemas.
 */
function toSchema(branch: Branch, depth = 0): JsonObject {
  if (branch.fields === null || depth > maxFieldDepth) return branch.schema;
  if (hasType(branch.schema, 'array')) {
    const items = objectAt(branch.schema, 'items') ?? { type: 'object' };
    return { ...branch.schema, items: withFields(items, branch, depth) };
  }
  return withFields(branch.schema, branch, depth);
}

const maxFieldDepth = 30;

function withFields(schema: JsonObject, branch: Branch, depth: number): JsonObject {
  const own = Object.entries(objectAt(schema, 'properties') ?? {});
  const nested = [...(branch.fields ?? [])].map(
    ([name, field]) => [name, toSchema(field, depth + 1)] as const,
  );
  return { ...schema, properties: Object.fromEntries<Json>([...own, ...nested]) };
}

function nullable(
  schema: JsonObject,
  name: string,
  neverNull: ReadonlySet<string>,
  options: ColumnSchemaOptions,
): JsonObject {
  return options.nullableColumns && !neverNull.has(name) ? orNull(schema) : schema;
}

function describe(schema: JsonObject, column: DbtColumn): JsonObject {
  return {
    ...schema,
    ...(column.description === '' ? {} : { description: column.description }),
    ...(column.isPersonal ? { 'x-classification': 'pii' } : {}),
  };
}

function unknownType(column: DbtColumn, names: readonly string[]): ImportProblem {
  const message = `The type "${column.dataType.slice(0, 200)}" of column ${column.name} is unknown (${names[0]}): its values are not checked.`;
  return itemProblem(
    'UNKNOWN_TYPE',
    message,
    `${placeOf(`${column.place}.columns`, column.key)}.data_type`,
  );
}
