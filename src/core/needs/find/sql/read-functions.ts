// What functions read: columns, relations that they are given by name, and what only a text says.

import { type Reading, resolveColumn } from './reading.ts';
import { readEverything, type Scope } from './sources.ts';
import { expressionOf, listAt, nameAt, type SqlNode } from './sql-tree.ts';

export interface Call {
  /** In lower case. */
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A call of a function; null for anything else. */
export function callOf(node: unknown): Call | null {
  const { kind, body = {} } = expressionOf(node) ?? {};
  if (kind !== 'function' && kind !== 'method_call') return null;
  const name = nameAt(body, kind === 'function' ? 'name' : 'method') ?? '';
  const args = listAt(body, 'args').map((each) => {
    const named = expressionOf(each);
    return named?.kind === 'named_argument' ? named.body.value : each;
  });
  return { name: name.toLowerCase(), args };
}

/** Functions whose rows are those of a relation that they are given. */
export const passingFunctions: ReadonlySet<string> = new Set([
  ...['stream', 'remote', 'remotesecure', 'cluster', 'clusterallreplicas'],
]);

/** Functions that run SQL which stands in a text, or read a relation that is named in one. */
const dynamicFunctions = new Set([
  ...['dblink', 'external_query', 'identifier', 'openquery', 'opendatasource', 'openrowset'],
  ...['query', 'query_table', 'merge', 'table', 'postgres_query', 'mysql_query', 'table_changes'],
  ...['query_to_xml', 'query_to_xmlschema', 'query_to_xml_and_xmlschema', 'schema_to_xml'],
  ...['table_to_xml', 'table_to_xmlschema', 'table_to_xml_and_xmlschema', 'cursor_to_xml'],
  ...['crosstab', 'crosstab2', 'crosstab3', 'crosstab4', 'connectby', 'ts_stat', 'ts_rewrite'],
  ...['joinget', 'joingetornull'],
]);

export function standsInText(name: string): string {
  return `what ${name}() reads stands in a text`;
}

/** Functions that give rows, and whose texts are values, patterns or addresses of files. */
const valueFunctions = new Set(
  [
    'explode explode_outer posexplode posexplode_outer inline inline_outer stack unnest flatten range sequence',
    'values generate_series generate_subscripts generate_array generate_date_array generate_timestamp_array',
    'generator numbers numbers_mt zeros zeros_mt repeat result_scan generaterandom xmltable openjson json_table',
    'json_array_elements json_array_elements_text json_each json_each_text json_object_keys json_tree json_tuple',
    'json_populate_record json_populate_recordset json_to_record json_to_recordset jsonb_array_elements',
    'jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys jsonb_path_query jsonb_populate_record',
    'jsonb_populate_recordset jsonb_to_record jsonb_to_recordset regexp_matches regexp_split_to_table',
    'string_split string_to_table split_to_table strtok_split_to_table parquet_metadata parquet_scan',
    'parquet_schema read_blob read_csv read_csv_auto read_files read_json read_json_auto read_json_objects',
    'read_ndjson read_ndjson_auto read_ndjson_objects read_parquet read_text read_xlsx sniff_csv st_read',
    'iceberg_scan delta_scan infer_schema glob s3 s3cluster gcs url urlcluster file hdfs azureblobstorage input',
    'format which_secret',
  ].flatMap((line) => line.split(' ')),
);

export function takesValues(name: string): boolean {
  return valueFunctions.has(name.replace(/^pg_catalog\./, ''));
}

/** A text that names something or is SQL. */
export function mayNameRelation(node: unknown): boolean {
  const { kind, body = {} } = expressionOf(node) ?? {};
  if (kind !== 'literal' || typeof body.value !== 'string' || body.literal_type === 'number') {
    return false;
  }
  const name = '(?:[A-Za-z_][\\w$-]*|"[^"]+"|`[^`]+`|\\[[^\\]]+\\])';
  return (
    new RegExp(`^\\s*${name}(?:\\s*\\.\\s*${name})*\\s*$`).test(body.value) ||
    /\b(?:select|from|table|with)\s/i.test(body.value)
  );
}

const dialectsWithPaths = new Set(['snowflake', 'databricks']);

/** Columns that the parser keeps as a text or a word: `arr[lo:hi]`, `data:a[idx]`, `json_objectagg(a: b)`. */
export function namesInTexts({ dialect }: Reading, key: string, part: SqlNode): readonly string[] {
  if (key === 'j_s_o_n_key_value') {
    const word = expressionOf(part.this);
    return word?.kind === 'var' ? [nameAt(word.body, 'this') ?? ''] : [];
  }
  if (key !== 'j_s_o_n_extract' || expressionOf(part.variant_extract) === null) return [];
  const text = nameAt(expressionOf(part.expression)?.body, 'value') ?? '';
  const places = dialectsWithPaths.has(dialect)
    ? [...text.matchAll(/\[([^\]'"]*)\]/g)]
    : [['', text]];
  return places.flatMap(([, names = '']) => names.match(/[A-Za-z_][\w$]*/g) ?? []);
}

/** Methods of T-SQL's XML. */
const xmlMethods = new Set(['nodes', 'value', 'query', 'exist', 'modify']);

export function readOddPart(
  reading: Reading,
  key: string,
  part: SqlNode,
  scope: Scope | null,
): void {
  if (key === 'raw' || key === 'command') reading.unread.add('a part of it is not parsed');
  if (key === 'parameter' && part.style === 'Dollar' && typeof part.index === 'number') {
    // Snowflake's `$1` is the first column.
    if (reading.dialect === 'snowflake') readAll(scope, 'a column is named by position');
  }
  const call = callOf({ [key]: part });
  if (call === null) return;
  const { name } = call;
  const kinds = call.args.map((each) => expressionOf(each)?.kind);
  if (dynamicFunctions.has(name) && kinds.includes('literal')) {
    reading.unread.add(standsInText(name));
  } else if (name === 'identifier' || (name === 'table' && kinds.some(isValue))) {
    reading.unread.add(`what ${name}() reads is known only when it runs`);
  }
  if (name === 'columns') readAll(scope, 'columns are named by a pattern');
  const path = (nameAt(part, 'name') ?? '').split('.');
  if (reading.dialect === 'tsql' && path.length > 1 && xmlMethods.has(path.at(-1) ?? '')) {
    resolveColumn(reading, path.slice(0, -1), scope);
  }
}

/** What a function gives is a relation of its own: `table(flatten(…))`. */
function isValue(kind: string | undefined): boolean {
  return kind !== 'function' && kind !== 'method_call';
}

export function readAll(scope: Scope | null, why: string): void {
  for (const { shape } of scope?.sources ?? []) readEverything(shape, why);
}
