// Forty faults that data may have, each against a rule of an ODCS contract. Of each there is a clean twin,
// which no check may refuse.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

interface PlantedFault {
  readonly name: string;
  readonly format: 'parquet' | 'csv' | 'json';
  /** What the contract says of the column `v`, or of several. */
  readonly properties: readonly object[];
  /** Rows of the clean file, and one that is put among them. */
  readonly clean: string;
  readonly bad: string;
  /** Of the object. */
  readonly quality?: readonly object[];
}

const rows = 200;

const column = (
  logicalType: string,
  logicalTypeOptions: object | null = null,
  more: object = {},
) => [{ name: 'v', logicalType, ...(logicalTypeOptions && { logicalTypeOptions }), ...more }];

/** A column of Parquet: what it holds in the row `i`, and the value that breaks the rule. */
function inParquet(
  name: string,
  properties: readonly object[],
  clean: string,
  bad: string,
  quality?: readonly object[],
): PlantedFault {
  return {
    ...{ name, format: 'parquet', properties },
    clean: `SELECT ${clean} AS v FROM range(${rows}) AS t(i)`,
    bad: `SELECT ${bad} AS v`,
    ...(quality && { quality }),
  };
}

/** Lines of text: what stands in the line `i`, and the line that breaks the rule. */
function inText(
  format: 'csv' | 'json',
  name: string,
  properties: readonly object[],
  clean: (i: number) => string,
  bad: string,
): PlantedFault {
  const lines = Array.from({ length: rows }, (_, i) => clean(i));
  return { name, format, properties, clean: lines.join('\n'), bad };
}

const none = (metric: string, more: object = {}) => ({
  quality: [{ type: 'library', metric, mustBe: 0, ...more }],
});

export const plantedFaults: readonly PlantedFault[] = [
  inParquet('null in a required text', column('string', null, { required: true }), "'a'", 'NULL'),
  inParquet('null in a required number', column('integer', null, { required: true }), 'i', 'NULL'),
  inParquet('repeated primary key', column('integer', null, { primaryKey: true }), 'i', '7'),
  inParquet('null in a primary key', column('integer', null, { primaryKey: true }), 'i', 'NULL'),
  inParquet('repeated unique text', column('string', null, { unique: true }), "'a' || i", "'a7'"),
  inParquet(
    'repeated unique time',
    column('timestamp', null, { unique: true }),
    "TIMESTAMP '2026-01-01' + i * INTERVAL 1 DAY",
    "TIMESTAMP '2026-01-08'",
  ),
  inParquet('too short', column('string', { minLength: 3 }), "'abc' || i", "'ab'"),
  inParquet('too long', column('string', { maxLength: 5 }), "'ab' || i", "'abcdef'"),
  inParquet(
    'too long by one character beyond ASCII',
    column('string', { maxLength: 2 }),
    "'é'",
    "'ééé'",
  ),
  inParquet(
    'another pattern',
    column('string', { pattern: '^[A-Z]{3}-[0-9]+$' }),
    "'ABC-' || i",
    "'AB-1'",
  ),
  inParquet(
    'more after the pattern',
    column('string', { pattern: '^[A-Z]{3}$' }),
    "'ABC'",
    "'ABCD'",
  ),
  inParquet(
    'a line break after the pattern',
    column('string', { pattern: '^[A-Z]{3}$' }),
    "'ABC'",
    "'ABC' || chr(10)",
  ),
  inParquet(
    'no e-mail address',
    column('string', { format: 'email' }),
    "'a@example.com'",
    "'a.example.com'",
  ),
  inParquet('no UUID', column('string', { format: 'uuid' }), 'CAST(uuid() AS VARCHAR)', "'123'"),
  inParquet('no IPv4 address', column('string', { format: 'ipv4' }), "'10.0.0.1'", "'10.0.0.256'"),
  inParquet('below the minimum', column('integer', { minimum: 1 }), 'i + 1', '0'),
  inParquet('above the maximum', column('integer', { maximum: 500 }), 'i', '501'),
  inParquet('at an exclusive minimum', column('number', { exclusiveMinimum: 0 }), 'i + 0.5', '0.0'),
  inParquet(
    'at an exclusive maximum',
    column('number', { exclusiveMaximum: 1 }),
    'i / 1000',
    '1.0',
  ),
  inParquet('no multiple', column('integer', { multipleOf: 5 }), 'i * 5', '7'),
  inParquet(
    'more decimals',
    column('number', { multipleOf: 0.01 }),
    'CAST(i AS DECIMAL(9, 3)) / 10',
    '0.125',
  ),
  inParquet(
    'a bound by a thousandth',
    column('number', { maximum: 0.3 }),
    'CAST(0.3 AS DECIMAL(9, 3))',
    '0.301',
  ),
  inParquet(
    'a value that is not accepted',
    column('string', null, none('invalidValues', { arguments: { validValues: ['EUR', 'USD'] } })),
    "'EUR'",
    "'GBP'",
  ),
  inParquet(
    'an accepted value in other letters',
    column('string', null, none('invalidValues', { arguments: { validValues: ['EUR', 'USD'] } })),
    "'EUR'",
    "'Eur'",
  ),
  inParquet('null by a rule', column('string', null, none('nullValues')), "'a'", 'NULL'),
  inParquet(
    'repeated by a rule',
    column('string', null, none('duplicateValues')),
    "'a' || i",
    "'a7'",
  ),
  inParquet(
    'a list with too few items',
    column('array', { minItems: 1 }, { items: { logicalType: 'integer' } }),
    '[i]',
    'CAST([] AS BIGINT[])',
  ),
  inParquet(
    'a list with too many items',
    column('array', { maxItems: 2 }, { items: { logicalType: 'integer' } }),
    '[i]',
    '[1, 2, 3]',
  ),
  inParquet(
    'a list that repeats an item',
    column('array', { uniqueItems: true }, { items: { logicalType: 'integer' } }),
    '[i, i + 1]',
    '[1, 1]',
  ),
  inParquet(
    'an item of a list',
    column('array', null, {
      items: { logicalType: 'string', logicalTypeOptions: { maxLength: 3 } },
    }),
    "['abc']",
    "['abc', 'abcd']",
  ),
  inParquet(
    'a member of an object',
    column('object', null, {
      properties: [{ name: 'n', logicalType: 'integer', logicalTypeOptions: { maximum: 500 } }],
    }),
    "{'n': i}",
    "{'n': 501}",
  ),
  inParquet(
    'null in a required member of an object',
    column('object', null, { properties: [{ name: 'n', logicalType: 'integer', required: true }] }),
    "{'n': i}",
    "{'n': NULL}",
  ),
  inParquet(
    'a member of an object in a list',
    column('array', null, {
      items: {
        logicalType: 'object',
        properties: [{ name: 'n', logicalType: 'integer', logicalTypeOptions: { minimum: 0 } }],
      },
    }),
    "[{'n': i}]",
    "[{'n': -1}]",
  ),
  inText('csv', 'text in a column of numbers', column('integer'), (i) => `${i}`, 'seven'),
  inText('csv', 'a fraction in a column of integers', column('integer'), (i) => `${i}`, '1.5'),
  inText('csv', 'a day that does not exist', column('date'), () => '2026-01-31', '2026-02-30'),
  inText('csv', 'a word in a column of booleans', column('boolean'), () => 'true', 'maybe'),
  inText('json', 'a number as text', column('integer'), (i) => `{"v": ${i}}`, '{"v": "7"}'),
  inText(
    'json',
    'a required member that is null',
    column('string', null, { required: true }),
    () => '{"v": "a"}',
    '{"v": null}',
  ),
  inText(
    'json',
    'an object where a list is',
    column('array', null, { items: { logicalType: 'integer' } }),
    (i) => `{"v": [${i}]}`,
    '{"v": {"0": 1}}',
  ),
];

interface PlantedFiles {
  readonly contract: string;
  readonly data: string;
}

/** Writes the contract and the data of a fault, or of its clean twin. */
export async function plant(
  folder: string,
  fault: PlantedFault,
  isClean: boolean,
): Promise<PlantedFiles> {
  const base = `${plantedFaults.indexOf(fault)}-${isClean ? 'clean' : 'faulty'}`;
  const data = join(folder, `${base}.${fault.format === 'json' ? 'ndjson' : fault.format}`);
  const contract = join(folder, `${base}.odcs.yaml`);
  // JSON is YAML.
  await writeFile(contract, JSON.stringify(contractOf(fault, data), null, 2));
  if (fault.format === 'parquet') {
    const select = isClean ? fault.clean : `${fault.clean} UNION ALL ${fault.bad}`;
    await inDuckdb(`COPY (${select}) TO '${data}' (FORMAT parquet)`);
  } else {
    const header = fault.format === 'csv' ? 'v\n' : '';
    await writeFile(data, `${header}${fault.clean}\n${isClean ? '' : `${fault.bad}\n`}`);
  }
  return { contract, data };
}

function contractOf({ properties, format, quality }: PlantedFault, path: string): object {
  return {
    ...{ apiVersion: 'v3.1.0', kind: 'DataContract', id: 'planted', version: '1.0.0' },
    ...{ status: 'active', name: 'planted' },
    servers: [{ server: 'local', type: 'local', path, format, delimiter: 'new_line' }],
    schema: [{ name: 'planted', physicalType: 'table', properties, ...(quality && { quality }) }],
  };
}

export async function inDuckdb(sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.runAndReadAll(sql);
  connection.closeSync();
  instance.closeSync();
}
