// Tables of hostile values, and schemas for their columns.

import { isExactNumber, type Json, type JsonObject } from '../../../../src/core/value/json.ts';
import type { Random } from '../../../core/laws/values.ts';

type Engine = 'postgres' | 'duckdb';

/** A value as SQL writes it, in both engines or in each, and as JSON reads it. */
export type Sample = readonly [sql: string | Readonly<Record<Engine, string>>, json: Json];

interface ColumnType {
  readonly postgres: string;
  readonly duckdb: string;
  readonly samples: readonly Sample[];
}

const whole = (...texts: readonly string[]): readonly Sample[] =>
  texts.map((text) => [text, exact(text)]);

const quoted = (...texts: readonly string[]): readonly Sample[] =>
  texts.map((text) => [`'${text.replaceAll("'", "''")}'`, text]);

function exact(text: string): Json {
  const number = Number(text);
  return Number.isSafeInteger(number) || String(number) === text ? number : JSON.rawJSON(text);
}

const texts = [
  ...['', 'a', 'b', 'ab', 'A', 'é', 'é', '😀', '😀a', "it's", 'a\nb', ' a ', 'ä', 'ß', 'ss', '1'],
  ...['2024-02-29', '2023-02-29', 'a@example.com', '127.0.0.1', 'İ', 'a%', '\\d', '"', '\u2028'],
  '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a11',
];

const states = ["'z'", "'a'", "'é'", "'1'", "'A'"];

const decimals = ['0', '0.5', '-0.5', '1.25', '1.2', '-99999999.99', '99999999.99', '10', '0.01'];
const doubles = ['0', '-0', '0.1', '0.3', '1e300', '-1e-300', '1.5', '2', '9007199254740993'];

const columnTypes: readonly ColumnType[] = [
  {
    ...{ postgres: 'smallint', duckdb: 'SMALLINT' },
    samples: whole('0', '1', '-1', '2', '3', '10', '-32768', '32767'),
  },
  {
    ...{ postgres: 'bigint', duckdb: 'BIGINT' },
    samples: whole(
      '0',
      '5',
      '-7',
      '9007199254740993',
      '9223372036854775807',
      '-9223372036854775808',
    ),
  },
  {
    ...{ postgres: 'numeric(10,2)', duckdb: 'DECIMAL(10,2)' },
    samples: decimals.map((text) => [text, Number(text)]),
  },
  {
    ...{ postgres: 'numeric', duckdb: 'DECIMAL(38,10)' },
    samples: [
      ...decimals.map((text): Sample => [text, Number(text)]),
      ...whole('12345678901234567890.0123456789', '9007199254740993'),
    ],
  },
  {
    ...{ postgres: 'double precision', duckdb: 'DOUBLE' },
    samples: [
      ...doubles.map((text): Sample => [`'${text}'`, Number(text)]),
      ...([
        ["'NaN'", 'NaN'],
        ["'Infinity'", 'Infinity'],
        ["'-Infinity'", '-Infinity'],
      ] as const),
    ],
  },
  {
    ...{ postgres: 'real', duckdb: 'FLOAT' },
    samples: ['0', '0.1', '-2', '1.5', '16777216'].map((text) => [`'${text}'`, Number(text)]),
  },
  {
    postgres: 'boolean',
    duckdb: 'BOOLEAN',
    samples: [
      ['true', true],
      ['false', false],
    ],
  },
  { postgres: 'text', duckdb: 'VARCHAR', samples: quoted(...texts) },
  { postgres: 'varchar(60)', duckdb: 'VARCHAR', samples: quoted(...texts) },
  {
    ...{ postgres: 'date', duckdb: 'DATE' },
    samples: quoted('2024-02-29', '0001-01-01', '9999-12-31', '1970-01-01'),
  },
  {
    ...{ postgres: 'timestamp', duckdb: 'TIMESTAMP' },
    samples: [
      ["'2024-02-29 10:00:00'", '2024-02-29T10:00:00.000000Z'],
      ["'1969-12-31 23:59:59.999999'", '1969-12-31T23:59:59.999999Z'],
    ],
  },
  {
    ...{ postgres: 'timestamptz', duckdb: 'TIMESTAMPTZ' },
    samples: [
      ["'2024-02-29 10:00:00+02'", '2024-02-29T08:00:00.000000Z'],
      ["'2024-12-31 23:30:00-01:30'", '2025-01-01T01:00:00.000000Z'],
    ],
  },
  {
    ...{ postgres: 'uuid', duckdb: 'UUID' },
    samples: quoted('0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a11', '00000000-0000-0000-0000-000000000000'),
  },
  {
    ...{ postgres: 'jsonb', duckdb: 'JSON' },
    samples: [
      [`'{"a": 1, "b": [1, 1]}'`, { a: 1, b: [1, 1] }],
      [`'[1, "a", null]'`, [1, 'a', null]],
      [`'"a"'`, 'a'],
      [`'1.5'`, 1.5],
      [`'9007199254740993'`, JSON.rawJSON('9007199254740993')],
    ],
  },
];

const pairs: readonly Sample[] = [
  ["CAST(ROW(1, ARRAY['a', 'b']) AS pair)", { a: 1, b: ['a', 'b'] }],
  ['CAST(ROW(9007199254740993, NULL) AS pair)', { a: JSON.rawJSON('9007199254740993'), b: null }],
  ["CAST(ROW(NULL, ARRAY['é', 'é']) AS pair)", { a: null, b: ['é', 'é'] }],
];

/** An object of JSON and a map, from the words of a map. */
function mapSql(words: string): Readonly<Record<Engine, string>> {
  const json = words.replaceAll('"', '\\"').replaceAll("'", '"').replaceAll('NULL', 'null');
  return { postgres: `'${json}'`, duckdb: `MAP ${words}` };
}

/** Types that warehouses or other tools have under other names. */
const moreTypes: readonly ColumnType[] = [
  // Blanks at the end are no part of the value.
  { postgres: 'char(4)', duckdb: 'VARCHAR', samples: quoted('', 'a', 'ab', 'é', '😀', 'A', '1') },
  { postgres: 'citext', duckdb: 'VARCHAR', samples: quoted(...texts) },
  {
    ...{ postgres: 'state', duckdb: `ENUM (${states})` },
    samples: states.map((text) => [text, text.slice(1, -1)]),
  },
  {
    ...{ postgres: 'time', duckdb: 'TIME' },
    samples: quoted('10:00:00', '23:59:59.999999', '00:00:00'),
  },
  // Of the words for it, those that both engines have.
  {
    ...{ postgres: 'interval', duckdb: 'INTERVAL' },
    samples: quoted('1 day', '2 days', '26:00:00', '00:00:00', '1 day 02:00:00', '3 years'),
  },
  {
    ...{ postgres: 'bigint[]', duckdb: 'BIGINT[]' },
    samples: [
      ['ARRAY[1, 2]', [1, 2]],
      ['ARRAY[1, 1]', [1, 1]],
      ['ARRAY[NULL, 9007199254740993]', [null, JSON.rawJSON('9007199254740993')]],
      ['CAST(ARRAY[] AS bigint[])', []],
    ],
  },
  {
    ...{ postgres: 'text[]', duckdb: 'VARCHAR[]' },
    samples: [
      ["ARRAY['a', NULL]", ['a', null]],
      ["ARRAY['a', 'A']", ['a', 'A']],
      [`ARRAY['"', '{}']`, ['"', '{}']],
    ],
  },
  {
    ...{ postgres: 'bigint[][]', duckdb: 'BIGINT[][]' },
    samples: [
      [
        'ARRAY[ARRAY[1, 2], ARRAY[2, 1]]',
        [
          [1, 2],
          [2, 1],
        ],
      ],
      [
        'ARRAY[ARRAY[1, NULL], ARRAY[1, NULL]]',
        [
          [1, null],
          [1, null],
        ],
      ],
      ['ARRAY[ARRAY[3]]', [[3]]],
    ],
  },
  {
    ...{ postgres: 'double precision[]', duckdb: 'DOUBLE[]' },
    samples: [
      ["ARRAY['NaN', '0.1']", ['NaN', 0.1]],
      ["ARRAY['-0', '0']", [-0, 0]],
      ["ARRAY['1e300', '-Infinity']", [1e300, '-Infinity']],
    ].map(([sql, json]) => [`CAST(${String(sql)} AS double precision[])`, json] as Sample),
  },
  {
    ...{ postgres: 'numeric(10,2)[]', duckdb: 'DECIMAL(10,2)[]' },
    samples: [
      ['ARRAY[1.20, 1.2]', [1.2, 1.2]],
      ['ARRAY[99999999.99, -0.01]', [99999999.99, -0.01]],
    ],
  },
  {
    ...{ postgres: 'date[]', duckdb: 'DATE[]' },
    samples: [
      ["CAST(ARRAY['2024-02-29', '0001-01-01'] AS date[])", ['2024-02-29', '0001-01-01']],
      ["CAST(ARRAY['1970-01-01', NULL] AS date[])", ['1970-01-01', null]],
    ],
  },
  // Both engines have it under this name.
  {
    ...{ postgres: 'pair', duckdb: 'pair' },
    samples: pairs,
  },
  {
    ...{ postgres: 'pair[]', duckdb: 'pair[]' },
    samples: pairs.map(([sql, json]) => [`ARRAY[${String(sql)}, ${String(sql)}]`, [json, json]]),
  },
  {
    ...{ postgres: 'jsonb', duckdb: 'MAP(VARCHAR, BIGINT)' },
    samples: [
      [mapSql("{'a': 1, 'b': NULL}"), { a: 1, b: null }],
      [mapSql("{'a': 9007199254740993}"), { a: JSON.rawJSON('9007199254740993') }],
      [mapSql("{'\"': 2, 'é': -1}"), { '"': 2, é: -1 }],
      [mapSql('{}'), {}],
    ],
  },
  // Equal by their collation, and other values of JSON.
  { postgres: 'text COLLATE nocase', duckdb: 'VARCHAR', samples: quoted(...texts) },
  { postgres: 'text COLLATE "C"', duckdb: 'VARCHAR', samples: quoted(...texts) },
];

/** What Postgres needs before a table may have the columns. */
export const postgresTypes = [
  'CREATE EXTENSION citext',
  `CREATE TYPE state AS ENUM (${states})`,
  'CREATE TYPE pair AS (a bigint, b text[])',
  "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
] as const;

export const duckdbTypes = ['CREATE TYPE pair AS STRUCT(a BIGINT, b VARCHAR[])'] as const;

export function pick<T>(random: Random, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('The list is empty.');
  return found;
}

const numbers: readonly Json[] = [
  ...[0, -0.5, 0.1, 0.5, 1, 1.25, 2, 3, 10, 99, -1, 1e300, 0.01, 32767, -32768, 1.005, 1e-7],
  ...[
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '1e400',
    '0.10000000000000001',
  ].map((text) => JSON.rawJSON(text)),
];
const divisors: readonly Json[] = [1, 2, 3, 0.01, 0.1, 0.5, 0.25, 7, 1e20, JSON.rawJSON('0.30')];
const patterns = [
  ...[
    '^a',
    'b$',
    '^[ab]+$',
    'a',
    '^.$',
    '^(?!a)',
    '^(a|b)+$',
    '\\d',
    '^a{1,2}$',
    '^$',
    '.',
    '[^a]',
  ],
  ...[
    '^\\w+$',
    '\\bb',
    '^(a)\\1$',
    '\\s',
    '^\\S+$',
    '[\\u00e4ß]',
    '\\p{L}',
    "'",
    '^a\\nb$',
    '\\\\d',
  ],
  ...['^[^\\n]*$', '^(?:a*)*$', '^(|a)$', 'x{0}', '^\\D*$', '^.{2,}$', '"', '^😀'],
];
const formats = ['date', 'date-time', 'uuid', 'email', 'ipv4', 'int32', 'unknown'];
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

/** A number of the column, or one beside it. */
function ownNumber(random: Random, samples: readonly Sample[]): Json | null {
  const own = samples.map(([, each]) => each).filter(isNumber);
  if (own.length === 0 || random() < 0.3) return null;
  const number = pick(random, own);
  const text = JSON.stringify(number);
  if (random() < 0.6 || text.includes('e')) return number;
  const more = pick(random, ['4', '00000000000000001']);
  return JSON.rawJSON(text.includes('.') ? `${text}${more}` : `${text}.${more}`);
}

function isNumber(value: Json): boolean {
  return typeof value === 'number' || isExactNumber(value);
}

/** A schema for a column, as a rule with keywords that suit its values. */
export function columnSchema(
  random: Random,
  samples: readonly Sample[],
  isWide: boolean,
  depth = 0,
): JsonObject {
  const schema: Record<string, Json> = {};
  const value = (): Json =>
    random() < 0.2
      ? (ownNumber(random, samples) ?? 'a')
      : random() < 0.6
        ? pick(random, samples)[1]
        : pick(random, [...numbers, 'a', '', null, true]);
  const own = typeof pick(random, samples)[1];
  const parts = [
    () => {
      schema.type = pick(random, [
        ...types,
        ...(own === 'string' ? ['string'] : ['number', 'integer']),
      ]);
    },
    () => {
      schema.type = [pick(random, types), 'null', own === 'string' ? 'string' : 'number'].filter(
        (each, index, all) => all.indexOf(each) === index,
      );
    },
    () => {
      schema.enum = [value(), value(), value()];
    },
    () => {
      schema.const = value();
    },
    () => {
      // Rules and values differ most where they meet.
      const bound = ownNumber(random, samples) ?? pick(random, numbers);
      schema[pick(random, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])] = bound;
    },
    () => {
      schema.multipleOf = pick(random, divisors);
    },
    () => {
      schema[pick(random, ['minLength', 'maxLength'])] = Math.floor(random() * 4);
    },
    () => {
      schema.pattern = pick(random, patterns);
    },
    () => {
      schema.format = pick(random, formats);
    },
    () => {
      if (depth > 1) return;
      const branches = [
        columnSchema(random, samples, isWide, depth + 1),
        columnSchema(random, samples, isWide, depth + 1),
      ];
      schema[pick(random, ['anyOf', 'oneOf', 'allOf'])] = branches;
    },
    () => {
      if (depth > 1) return;
      const branch = () => columnSchema(random, samples, isWide, depth + 1);
      if (random() < 0.5) schema.not = branch();
      else Object.assign(schema, { if: branch(), [pick(random, ['then', 'else'])]: branch() });
    },
  ];
  const ofNested = [
    () => {
      schema[pick(random, ['minItems', 'maxItems', 'minProperties'])] = Math.floor(random() * 3);
    },
    () => {
      if (depth > 1) return;
      const inside = () => columnSchema(random, samples, isWide, depth + 1);
      const keyword = pick(random, [
        ...['items', 'contains', 'additionalProperties', 'prefixItems', 'patternProperties'],
        ...['propertyNames', 'unevaluatedItems'],
      ]);
      if (keyword === 'prefixItems') schema.prefixItems = [inside(), inside()];
      else if (keyword === 'patternProperties')
        schema.patternProperties = { [pick(random, patterns)]: inside() };
      else schema[keyword] = inside();
      if (keyword === 'contains' && random() < 0.5)
        schema[pick(random, ['minContains', 'maxContains'])] = Math.floor(random() * 3);
    },
    () => {
      schema.uniqueItems = random() < 0.8;
    },
    () => {
      const [first, second] = random() < 0.5 ? ['a', 'b'] : ['b', 'c'];
      if (random() < 0.5) schema.dependentRequired = { [first]: [second] };
      else schema.dependentSchemas = { [first]: { required: [second] } };
    },
    () => {
      if (depth > 0) return;
      // What a reference leads to stands beside it, in the column's own resource.
      const $id = `urn:column:${random()}`;
      const target = columnSchema(random, samples, isWide, 1);
      Object.assign(schema, { $id, $defs: { target }, $ref: '#/$defs/target' });
    },
  ];
  const all = isWide ? [...parts, ...ofNested] : parts;
  const count = 1 + Math.floor(random() * 2.5);
  const suiting = samples.some(([, each]) => isNumber(each))
    ? parts.slice(2, 6)
    : parts.slice(6, 9);
  for (let i = 0; i < count; i++) pick(random, random() < 0.4 ? suiting : all)();
  return schema;
}

export interface Table {
  readonly types: readonly ColumnType[];
  readonly schema: JsonObject;
  /** Null stands for NULL. */
  readonly rows: readonly (readonly (Sample | null)[])[];
}

/** A table whose columns are free, but for a rule that relates some of them or counts them. */
export function relatedTable(random: Random, rowCount: number, isWide = false): Table {
  const { schema: _, ...table } = hostileTable(random, rowCount, isWide);
  const index = () => Math.floor(random() * table.types.length);
  const rule = (): JsonObject => {
    const column = index();
    const samples = table.types[column]?.samples ?? [];
    return { properties: { [`c${column}`]: columnSchema(random, samples, isWide) } };
  };
  const relation = pick<() => JsonObject>(random, [
    () => ({ if: rule(), [pick(random, ['then', 'else'])]: rule() }),
    () => ({ anyOf: [rule(), rule()] }),
    () => ({ oneOf: [rule(), rule()] }),
    () => ({ not: { allOf: [rule(), rule()] } }),
    () => ({ dependentSchemas: { [`c${index()}`]: rule() } }),
    () => ({ dependentRequired: { [`c${index()}`]: [pick(random, ['c0', 'absent'])] } }),
    () => ({ [pick(random, ['minProperties', 'maxProperties'])]: 11 + Math.floor(random() * 3) }),
    () => ({ propertyNames: { pattern: pick(random, ['^c', '^c\\d$']) } }),
    () => ({
      anyOf: [rule(), rule()],
      unevaluatedProperties: { type: ['null', pick(random, types)] },
    }),
  ]);
  return { ...table, schema: { type: 'object', ...relation() } };
}

/** The schemas of the columns, in the order of the columns. */
export function schemasOf({ schema }: Table): readonly JsonObject[] {
  return Object.values(schema.properties as Readonly<Record<string, JsonObject>>);
}

/** A wide choice has lists, references and types that not every source has. */
export function hostileTable(random: Random, rowCount: number, isWide = false): Table {
  const known = isWide ? [...columnTypes, ...moreTypes] : columnTypes;
  const chosen = Array.from({ length: 12 }, () => pick(random, known));
  const properties = Object.fromEntries(
    chosen.map(({ samples }, index) => [`c${index}`, columnSchema(random, samples, isWide)]),
  );
  const rows = Array.from({ length: rowCount }, () =>
    chosen.map(({ samples }) => (random() < 0.1 ? null : pick(random, samples))),
  );
  return { types: chosen, schema: { type: 'object', properties }, rows };
}

export function tableSql({ types: chosen, rows }: Table, dialect: Engine): readonly string[] {
  const columns = chosen.map((type, index) => `c${index} ${type[dialect]}`).join(', ');
  const sqlOf = (sample: Sample | null) => {
    const sql = sample?.[0] ?? 'NULL';
    return typeof sql === 'string' ? sql : sql[dialect];
  };
  const values = rows.map((row) => `(${row.map(sqlOf).join(', ')})`);
  return [`CREATE TABLE hostile (${columns})`, `INSERT INTO hostile VALUES ${values.join(', ')}`];
}
