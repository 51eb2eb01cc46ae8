// Rows that are wrong, in ways that an engine hides: each fails, or its source is refused.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { type Folder, makeFolder, run } from '../../support.ts';
import { runInDuckdb } from './parquet.ts';

let folder: Folder;
let database: TestDatabase;
beforeAll(async () => {
  [folder, database] = await Promise.all([makeFolder(), openDatabase()]);
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

interface Terms {
  /** The schema of column a. */
  readonly a?: object;
  readonly required?: readonly string[];
  readonly guarantees?: object;
}

/** The rules that fail, with how many rows; or the code of the source. */
async function failing({ a = {}, required, guarantees }: Terms, args: readonly string[], url = '') {
  const schema = { properties: { a }, ...(required !== undefined && { required }) };
  const spec = { fqn: 'a.b.c', schema, ...(guarantees !== undefined && { guarantees }) };
  const contract = await folder.file(`contract-${Math.random()}.json`, {
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'a' }, spec },
  });
  const asked = ['check', '--contract', contract, '--format', 'json', ...args];
  const { stdout, stderr } = await run(asked, '', { env: { CONCORDAT_SOURCE: url } });
  if (stdout === '') return /^SOURCE_[A-Z_]+/.exec(stderr)?.[0] ?? stderr;
  const { rules }: { rules: { name: string; status: string; rows: number | null }[] } =
    JSON.parse(stdout);
  const failed = rules.filter(({ status }) => status === 'failed');
  return Object.fromEntries(failed.map(({ name, rows }) => [name, rows]));
}

const unique = { guarantees: { custom: [{ type: 'unique', column: 'a' }] } };
const stated = { guarantees: { nullability: { a: 'never' } } };
const fresh = { guarantees: { freshness: { maxStalenessMinutes: 5, measuredBy: 'a' } } };
const [word, iso] = [{ pattern: '^[a-c]+$' }, { pattern: '^\\d{4}-\\d\\d-\\d\\d$' }];
const settingTokyo = `select 1 where set_config('TimeZone', 'Asia/Tokyo', false) is null`;
/** No literal of SQL has this character. */
const nul = 'a\0b';
const withNul = `'a' || chr(0) || 'b' AS a`;
/** The regular expressions of no engine take it. */
const nested = { pattern: '^((a{1,200}){1,200})$' };

describe('In Postgres', () => {
  test.each<readonly [string, Terms, string, object]>([
    ['a null within JSON', stated, `'null'::jsonb as a`, { 'nullability.a': 1 }],
    ['a date before our era', { a: iso }, `date '0044-03-15 BC' as a`, { '$.a pattern': 1 }],
    ['a time that never comes', fresh, `timestamp 'infinity' as a`, { freshness: null }],
    ['a time in the far future', fresh, `timestamptz '2999-01-01' as a`, { freshness: null }],
    ['a pattern of many repetitions', { a: nested }, `text 'b' as a`, { '$.a pattern': 1 }],
    ['letters of citext', { a: { enum: ['a'] } }, `'A'::citext as a`, { '$.a enum': 1 }],
    ['blanks that fill up', { a: { minLength: 3 } }, `'ab'::char(5) as a`, { '$.a minLength': 1 }],
    ['a domain of numbers', { a: { minimum: 0 } }, `(-1)::whole as a`, { '$.a minimum': 1 }],
    [
      'a list of exact numbers',
      { a: { items: { maximum: 1 } } },
      'array[1.00000000000000000001] as a',
      { '$.a[*] maximum': 1 },
    ],
    [
      'a list whose places begin elsewhere',
      unique,
      `'[2:3]={1,2}'::int[] as a union all select '{1,2}'`,
      { 'custom.unique.a': 2 },
    ],
    [
      'JSON that is written in two ways',
      unique,
      `'{"x":1,"y":2}'::json as a union all select '{"y":2.0, "x":1}'`,
      { 'custom.unique.a': 2 },
    ],
    [
      'times without a zone in a list',
      { a: { items: { format: 'date-time' } } },
      `array[timestamp '2024-01-01 10:00:00.5', null] as a union all select array[timestamp 'infinity']`,
      { '$.a[*] format': 1 },
    ],
    ['other letters of citext, twice', unique, `'a'::citext as a union all select 'A'`, {}],
    [
      'a day and 24 hours',
      unique,
      `interval '1 day' as a union all select interval '24 hours'`,
      {},
    ],
    [
      'JSON that is nested too deeply to be read',
      { a: { type: 'string' } },
      `(repeat('[', 600) || repeat(']', 600))::json as a`,
      { '$.a json': 1 },
    ],
    [
      'settings that a rule of the contract changes',
      {
        a: { pattern: '^(?!2024-01-02)' },
        guarantees: { custom: [{ name: 'own', sql: settingTokyo }] },
      },
      `timestamptz '2024-01-01 20:00:00Z' as a`,
      {},
    ],
  ])('%s', async (_what, terms, select, expected) => {
    await database.query(`create extension if not exists citext`);
    await database.query('drop domain if exists whole; create domain whole as int');
    expect(await failing(terms, ['--query', `select ${select}`], database.url)).toEqual(expected);
  });

  test('rows of fields that are partly null are the same twice', async () => {
    await database.query('create type pair as (x int, y int)');
    const query = 'select row(1, null)::pair as a from generate_series(1, 2)';
    expect(await failing(unique, ['--query', query], database.url)).toEqual({
      'custom.unique.a': 2,
    });
  });

  test('literals and times mean the same, whatever the user has set', async () => {
    for (const setting of [
      'standard_conforming_strings = off',
      "DateStyle = 'German, DMY'",
      "IntervalStyle = 'iso_8601'",
      "TimeZone = 'Asia/Tokyo'",
    ]) {
      await database.query(`alter role current_user set ${setting}`);
    }
    const query = `select '\\d'::text as a union all select 'd'`;
    const range = `select daterange('2024-02-03', '2024-02-05')::text as a`;
    try {
      const ask = (terms: Terms, sql: string) => failing(terms, ['--query', sql], database.url);
      expect(await ask({ a: { not: { enum: ['\\d'] } } }, query)).toEqual({ '$.a not': 1 });
      expect(await ask({ a: { pattern: '^.2024-02-03' } }, range)).toEqual({});
      expect(await ask({ a: { const: '1 day' } }, `select interval '1 day' as a`)).toEqual({});
    } finally {
      await database.query('alter role current_user reset all');
    }
  });

  test('rows that a policy hides from the user are not passed over', async () => {
    await database.query(`create table hidden as select unnest(array[1, -1]) as a;
      alter table hidden enable row level security;
      create policy some_rows on hidden using (a > 0)`);
    const name = `reader_${Math.random().toString(36).slice(2)}`;
    await database.query(
      `create role ${name} login password 'x'; grant select on hidden to ${name}`,
    );
    const url = new URL(database.url);
    [url.username, url.password] = [name, 'x'];
    const ask = (address: string) => failing({ a: { minimum: 0 } }, ['--table', 'hidden'], address);
    expect(await ask(url.href)).toBe('SOURCE_REFUSED');
    expect(await ask(database.url)).toEqual({ '$.a minimum': 1 });
    await database.query(`drop owned by ${name}; drop role ${name}`);
  });

  test.each(['LATIN1', 'SQL_ASCII', 'WIN1252'])(
    'characters of %s are characters',
    async (encoding) => {
      const name = `encoded_${encoding.toLowerCase()}_${Math.random().toString(36).slice(2)}`;
      await database.query(
        `create database ${name} template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`,
      );
      const url = new URL(database.url);
      url.pathname = `/${name}`;
      try {
        const ask = (a: object) => failing({ a }, ['--query', `select 'é'::text as a`], url.href);
        expect(await ask({ minLength: 2 })).toEqual({ '$.a minLength': 1 });
        expect(await ask({ pattern: '^[^é]*$' })).toEqual({ '$.a pattern': 1 });
      } finally {
        await database.query(`drop database ${name}`);
      }
    },
  );
});

describe('In CSV', () => {
  const rows = (count: number, row: string) => `${row}\n`.repeat(count);
  const some = { type: ['string', 'null'], minLength: 1 };
  test.each<readonly [string, Terms, string, object | string]>([
    ['a text that is empty and no null', { a: some }, 'a,b\n"",1\n,2\n', { '$.a minLength': 1 }],
    [
      'quotes far below',
      { a: { maxLength: 3 } },
      `a\n${rows(30_000, 'x')}"y,y"\n"y""yy"\n`,
      { '$.a maxLength': 1 },
    ],
    [
      'a row that looks like a comment',
      { a: word },
      'a,b\na,3\n#hello\nb,4\n',
      'SOURCE_UNREADABLE',
    ],
    ['lines before the names', { a: word }, 'Report\n\na,b\na,2\n', 'SOURCE_UNREADABLE'],
    ['quotes of another kind', { a: word }, "a,b\n'a,b',1\n", 'SOURCE_UNREADABLE'],
    ['a name that two columns have', { a: word }, 'a,a\na,1\n', 'SOURCE_UNREADABLE'],
    ['names that differ by a capital', { a: word }, 'A,a\na,1\n', 'SOURCE_UNREADABLE'],
    [
      'a number written in two ways',
      { a: { type: 'number' }, ...unique },
      'a,b\n1,1\n1.0,2\n',
      { 'custom.unique.a': 2 },
    ],
    [
      'a number written with exponents',
      { a: { type: 'number' }, ...unique },
      'a,b\n-100,1\n-1e2,2\n-0.1E+3,3\n100,4\n1e400,5\n10e399,6\n',
      { 'custom.unique.a': 5 },
    ],
    [
      'a mark of the byte order',
      { required: ['a'], a: { type: 'integer', minimum: 2 } },
      '\ufeffa,b\n1,2\n',
      { '$.a minimum': 1 },
    ],
    [
      'nothing between quotes, of a number',
      { a: { type: ['number', 'null'] }, ...stated },
      'a,b\n"",1\n',
      { 'nullability.a': 1 },
    ],
  ])('%s', async (_what, terms, text, expected) => {
    const path = await folder.file(`csv-${Math.random()}.csv`, text);
    expect(await failing(terms, ['--source', path])).toEqual(expected);
  });

  test('a name of a file that is a pattern for another file', async () => {
    const path = await folder.file('orders[1].csv', 'a,b\n1,2\n');
    await folder.file('orders1.csv', 'a,b\n5,2\n');
    const terms = { a: { type: 'integer', minimum: 2 } };
    expect(await failing(terms, ['--source', path])).toEqual({ '$.a minimum': 1 });
  });
});

test.each(['csv', 'parquet'])('A file of %s without a required column is told', async (format) => {
  const path = (name: string) => join(folder.path, `some-${format}`, `${name}.${format}`);
  await mkdir(dirname(path('a')));
  const write = (name: string, columns: string) =>
    runInDuckdb([`COPY (SELECT ${columns}) TO '${path(name)}' (FORMAT ${format})`]);
  await write('a', '5 AS a, 1 AS b');
  await write('b', '1 AS b');
  const a = { type: ['integer', 'null'] };
  const ask = (terms: Terms) => failing(terms, ['--source', dirname(path('a'))]);
  expect(await ask({ a, required: ['a'] })).toEqual({ '$.a required': 1 });
  // What is missing is not null.
  for (const type of ['integer', 'string']) {
    const here = { type, ...(type === 'string' && { not: { format: 'email' } }) };
    const expected = type === 'string' && format === 'parquet' ? { '$.a type': 1 } : {};
    expect(await ask({ a: here })).toEqual(expected);
  }
  expect(await ask({ a: { type: 'integer' }, ...stated })).toEqual({ 'nullability.a': 1 });
});

describe('Of several files', () => {
  type Files = Readonly<Record<string, string>>;
  test.each<readonly [string, Terms, Files, object | string]>([
    [
      'one whose name ends with capitals is read',
      { a: { type: 'integer' } },
      { 'a.csv': 'a,b\n1,1\n', 'b.CSV': 'a,b\nx,1\n' },
      { '$.a type': 1 },
    ],
    [
      'none is left out because of its compression',
      { a: { type: 'integer' } },
      { 'a.csv': 'a,b\n1,1\n', 'b.csv.zst': 'a,b\nx,1\n', 'notes.txt': '' },
      'SOURCE_NOT_SUPPORTED',
    ],
    [
      'none calls a column by other capitals',
      { a: { type: 'integer' } },
      { 'a.csv': 'a,b\n1,1\n', 'b.csv': 'A,b\nx,1\n' },
      'SOURCE_UNREADABLE',
    ],
    [
      'the names of folders are columns',
      { a: { enum: ['01', '2'] } },
      { 'a=01/a.csv': 'b\n1\n', 'a=2/a.csv': 'b\n1\n', 'a=3/a.csv': 'b\n1\n' },
      { '$.a enum': 1 },
    ],
    [
      'the names of folders do not hide what the files say',
      { a: { type: 'integer', maximum: 2 } },
      { 'a=1/a.csv': 'a,b\n9,1\n', 'a=2/a.csv': 'a,b\n2,1\n' },
      { '$.a maximum': 1 },
    ],
    [
      'some say what others say by their folders',
      { a: { type: 'integer', maximum: 2 } },
      { 'a=1/a.csv': 'a,b\n9,1\n', 'a=2/a.csv': 'b\n1\n' },
      'SOURCE_UNREADABLE',
    ],
  ])('%s', async (_what, terms, files, expected) => {
    const inside = `several-${Math.random()}`;
    for (const [name, text] of Object.entries(files)) await folder.file(`${inside}/${name}`, text);
    expect(await failing(terms, ['--source', join(folder.path, inside)])).toEqual(expected);
  });

  test.each<readonly [string, object, readonly [string, string], object | string]>([
    ['a list with text hides no number', word, ['[1]', `['a']`], 'SOURCE_UNREADABLE'],
    ['a struct has the same fields', {}, [`{'x': 1}`, `{'x': 1, 'y': 2}`], 'SOURCE_UNREADABLE'],
    [
      'whole numbers meet decimals',
      { maximum: 5 },
      ['9007199254740993', '1.5'],
      { '$.a maximum': 1 },
    ],
  ])('of Parquet, %s', async (_what, items, values, expected) => {
    const inside = join(folder.path, `values-${Math.random()}`);
    await mkdir(inside);
    await runInDuckdb(
      values.map(
        (sql, index) => `COPY (SELECT ${sql} AS a) TO '${join(inside, `${index}.parquet`)}'`,
      ),
    );
    const a = { ...items, items };
    expect(await failing({ a }, ['--source', inside])).toEqual(expected);
  });

  test('of Parquet, the name of a folder does not hide what the file says', async () => {
    const inside = join(folder.path, 'a=1');
    await mkdir(inside);
    await runInDuckdb([`COPY (SELECT 9 AS a, 1 AS b) TO '${join(inside, 'one.parquet')}'`]);
    const terms = { a: { maximum: 5 } };
    expect(await failing(terms, ['--source', inside])).toEqual({ '$.a maximum': 1 });
  });
});

describe('In Parquet', () => {
  test.each<readonly [string, Terms, string, object]>([
    ['a null within JSON', stated, "'null'::JSON AS a", { 'nullability.a': 1 }],
    [
      'a time before our era',
      { a: { pattern: '^\\d{4}-\\d\\d-\\d\\dT' } },
      "TIMESTAMP '0044-03-15 (BC) 00:00:00' AS a",
      { '$.a pattern': 1 },
    ],
    ['a time in the far future', fresh, "TIMESTAMP '2999-01-01' AS a", { freshness: null }],
    ['a pattern of many repetitions', { a: nested }, "'b' AS a", { '$.a pattern': 1 }],
    [
      'a pattern of many letters',
      { a: { pattern: '^\\p{L}{1,1000}$' } },
      "'1' AS a",
      { '$.a pattern': 1 },
    ],
    ['a text with NUL, excluded', { a: { not: { const: nul } } }, withNul, { '$.a not': 1 }],
    ['a text with NUL, listed', { a: { enum: [nul] } }, withNul, {}],
    ['a text with NUL, by a pattern', { a: { pattern: '^a[^x]b$' } }, withNul, {}],
    [
      'a day and 24 hours in a list',
      unique,
      `unnest([[INTERVAL '1 day'], [INTERVAL '24 hours']]) AS a`,
      {},
    ],
    [
      'nanoseconds that JSON has not',
      unique,
      `unnest(['2024-01-01 10:00:00.000000001', '2024-01-01 10:00:00.000000002'])::TIMESTAMP_NS AS a`,
      { 'custom.unique.a': 2 },
    ],
  ])('%s', async (_what, terms, select, expected) => {
    const path = join(folder.path, `${Math.random()}.parquet`);
    await runInDuckdb([`COPY (SELECT ${select}) TO '${path}' (FORMAT parquet)`]);
    expect(await failing(terms, ['--source', path])).toEqual(expected);
  });
});

test.each([
  ['next to each other', `1 AS a, 2 AS "X"`, 'SOURCE_UNREADABLE'],
  [
    'after a struct and a list',
    `{'b': {'c': 1}} AS s, [1] AS l, 1 AS a, 2 AS "X"`,
    'SOURCE_UNREADABLE',
  ],
  ['in a struct of a list', `[{'b': 1, 'a': 1, 'X': 2}] AS s`, 'SOURCE_UNREADABLE'],
  ['one within the other', `{'X': 1, 'b': 2} AS a`, {}],
])(
  'Columns of Parquet whose names differ by a capital are refused: %s',
  async (_, select, expected) => {
    const path = join(folder.path, `${Math.random()}.parquet`);
    await runInDuckdb([`COPY (SELECT ${select}) TO '${path}' (FORMAT parquet)`]);
    // DuckDB does not write such a file.
    const bytes = await readFile(path, 'latin1');
    await writeFile(path, bytes.replaceAll('X', 'A'), 'latin1');
    expect(await failing({}, ['--source', path])).toEqual(expected);
  },
);

test.each([
  ['a number written in two ways', '{"a":1}\n{"a":1.0}\n', 2],
  ['members in another order', '{"a":{"x":1,"y":2}}\n{"a":{"y":2,"x":1}}\n', 2],
  ['a member that is given twice', '{"a":1,"a":2}\n{"a":2}\n', 2],
  ['a wide fraction', '{"a":0.10000000000000000010}\n{"a":0.1000000000000000001}\n', 2],
  ['half of a pair of surrogates', '{"a":"\\ud83d"}\n{"a":"\\ud83d"}\n{"a":"\\ud83c"}\n', 2],
  ['a sign that separates', '{"a":"x\\u001fy"}\n{"a":"x\\u001fy"}\n{"a":"x\\u001fz"}\n', 2],
  ['a text of many lines', '{"a":"x\\n\\"y"}\n{"a":"x\\n\\"y"}\n', 2],
  ['a text that looks like null', '{"a":"null"}\n{"a":"null"}\n{"a":null}\n{"a":null}\n', 2],
])('In NDJSON, %s is the same value', async (_what, text, rows) => {
  const path = join(folder.path, `${Math.random()}.ndjson`);
  await writeFile(path, text);
  expect(await failing(unique, ['--source', path])).toEqual({ 'custom.unique.a': rows });
});

test('A line that is not UTF-8 is no JSON', async () => {
  const path = join(folder.path, 'latin1.ndjson');
  await writeFile(path, '{"a":"b"}\n{"a":"é"}\n', 'latin1');
  expect(await failing({ a: { maxLength: 1 } }, ['--source', path])).toEqual({ '$ json': 1 });
});
