// Sources that cannot be read, or only with care: an error of its own for each, and never a pass.

import { copyFile, stat, truncate } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { type Folder, makeFolder, run } from '../../support.ts';
import { runInDuckdb } from './parquet.ts';

let folder: Folder;
let database: TestDatabase;
beforeAll(async () => {
  [folder, database] = await Promise.all([makeFolder(), openDatabase()]);
  await database.query('CREATE TABLE orders (id int)');
  await database.query('INSERT INTO orders SELECT generate_series(1, 9)');
  await database.query('CREATE SEQUENCE numbers');
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

async function contractOf(schema: object, guarantees: object | null = null): Promise<string> {
  const spec = { fqn: 'shop.public.orders', schema, ...(guarantees !== null && { guarantees }) };
  const manifest = {
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'orders' } },
    spec,
  };
  return folder.file(`contract-${Math.random()}.json`, manifest);
}

const whole = { type: 'object', properties: { id: { type: 'integer' } } };

async function check(contract: string, source: string, ...more: readonly string[]) {
  const args = ['check', '--contract', contract, '--format', 'json', ...more];
  return run(args, '', { env: { CONCORDAT_SOURCE: source } });
}

/** The exit code and the sentence. */
async function refused(source: string, ...more: readonly string[]) {
  const { code, stdout, stderr } = await check(await contractOf(whole), source, ...more);
  expect(stdout).toBe('');
  return [code, stderr.replaceAll(folder.path, '').trim()];
}

function changed(change: (url: URL) => void): string {
  const url = new URL(database.url);
  change(url);
  return url.href;
}

describe('A source that cannot be read', () => {
  test('is a table that is gone', async () => {
    expect(await refused(database.url, '--table', 'public.gone')).toEqual([
      3,
      'SOURCE_NOT_FOUND: Postgres says: relation "public.gone" does not exist. Check --table and the database.',
    ]);
  });

  test('is a query that is none', async () => {
    expect(await refused(database.url, '--query', 'select * fro orders')).toEqual([
      3,
      expect.stringMatching(/^SOURCE_UNREADABLE: Postgres says: syntax error/),
    ]);
  });

  test('is a query that ends its parenthesis and asks something else', async () => {
    const [code] = await refused(database.url, '--query', 'select 1) x; drop table orders; --');
    expect(code).toBe(3);
    expect(await database.query('SELECT count(*)::int AS n FROM orders')).toEqual([{ n: 9 }]);
  });

  test('is a database without the name of a table', async () => {
    expect(await refused(database.url)).toEqual([
      2,
      'SOURCE_NOT_SUPPORTED: Name the table with --table, such as --table public.orders, or give a --query.',
    ]);
  });

  test('is a wrong password, which is not shown', async () => {
    const url = changed((each) => {
      each.username = 'nobody';
      each.password = 'secret-word';
    });
    const [code, text] = await refused(url, '--table', 'orders');
    expect([code, text]).toEqual([4, expect.stringMatching(/^SOURCE_REFUSED: Postgres refuses/)]);
    expect(text).not.toContain('secret-word');
  });

  test('is a port where nobody listens', async () => {
    const url = changed((each) => {
      each.port = '1';
    });
    expect(await refused(url, '--table', 'orders')).toEqual([
      4,
      'SOURCE_NOT_REACHABLE: The database cannot be reached: ECONNREFUSED. Check the host, the port and the network.',
    ]);
  });

  test('is a server that accepts connections and never answers', async () => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const { port } = server.address() as AddressInfo;
    const url = `postgres://app@127.0.0.1:${port}/shop`;
    expect(await refused(url, '--table', 'orders', '--source-timeout', '0.2')).toEqual([
      4,
      expect.stringMatching(/^SOURCE_TIMEOUT: Postgres did not answer in time/),
    ]);
    server.close();
  });

  test('is a query that takes too long', async () => {
    const slow = 'select 1 as id from pg_sleep(3600)';
    expect(await refused(database.url, '--query', slow, '--source-timeout', '0.2')).toEqual([
      4,
      expect.stringMatching(/^SOURCE_TIMEOUT: Postgres did not answer in time/),
    ]);
  });

  test('is an address with TLS settings that nobody knows', async () => {
    const url = changed((each) => each.searchParams.set('sslmode', 'maybe'));
    expect(await refused(url, '--table', 'orders')).toEqual([
      2,
      expect.stringMatching(/^SOURCE_NOT_SUPPORTED: the source has sslmode=maybe/),
    ]);
  });

  test('is a kind of source that is not known', async () => {
    expect(await refused('mysql://app:word@host/shop')).toEqual([
      2,
      'SOURCE_NOT_SUPPORTED: Sources of the kind mysql:// cannot be checked. Use postgres://, kafka://, or files of Parquet, CSV or NDJSON.',
    ]);
  });

  test('is named in a file, and the file is not there', async () => {
    const path = join(folder.path, 'gone-source');
    expect(await refused(`@${path}`)).toEqual([
      3,
      'SOURCE_NOT_FOUND: The file /gone-source with the source cannot be read.',
    ]);
    const named = await folder.file('source', `${database.url}\n`);
    expect((await check(await contractOf(whole), `@${named}`, '--table', 'orders')).code).toBe(0);
  });

  test('is a file that is not there', async () => {
    expect(await refused('gone.parquet')).toEqual([
      3,
      'SOURCE_NOT_FOUND: There is no file gone.parquet.',
    ]);
  });

  test('is a folder of several formats', async () => {
    await folder.file('mixed/a.csv', 'id\n1\n');
    await folder.file('mixed/b.ndjson', '{"id": 1}\n');
    expect(await refused(join(folder.path, 'mixed'))).toEqual([
      2,
      'SOURCE_NOT_SUPPORTED: /mixed has files of several formats: csv, json. Check each format by itself.',
    ]);
  });

  test('is a file that was cut in the middle', async () => {
    const path = join(folder.path, 'numbers.parquet');
    await runInDuckdb([
      `COPY (SELECT range AS id FROM range(10000)) TO '${path}' (FORMAT parquet)`,
    ]);
    for (const part of [0.5, 0.99]) {
      const cut = join(folder.path, 'cut.parquet');
      await copyFile(path, cut);
      await truncate(cut, Math.floor((await stat(cut)).size * part));
      expect(await refused(cut)).toEqual([
        3,
        expect.stringMatching(/^SOURCE_UNREADABLE: \/cut.parquet cannot be read: /),
      ]);
    }
  });

  test('is a compressed file that was cut in the middle', async () => {
    const path = join(folder.path, 'cut.csv.gz');
    await runInDuckdb([
      `COPY (SELECT hash(range) AS id FROM range(99999)) TO '${path}' (FORMAT csv)`,
    ]);
    await truncate(path, Math.floor((await stat(path)).size * 0.5));
    expect(await refused(path)).toEqual([
      3,
      expect.stringMatching(/^SOURCE_UNREADABLE: \/cut.csv.gz cannot be read: /),
    ]);
  });

  test('is a file of CSV whose last line was cut', async () => {
    const path = await folder.file('cut.csv', 'id,name\n1,ann\n2');
    expect(await refused(path)).toEqual([3, expect.stringMatching(/^SOURCE_UNREADABLE: /)]);
  });

  test('is a file that begins without the names of its columns', async () => {
    const path = await folder.file('headless.csv', '1,ann\n2,ben\n');
    expect(await refused(path)).toEqual([
      3,
      'SOURCE_UNREADABLE: The source has none of the columns of the contract, such as id. Check --table, or that the file begins with the names of its columns.',
    ]);
  });

  test('are files that disagree on the type of a column', async () => {
    const path = (name: string) => join(folder.path, 'types', name);
    await folder.file('types/readme.txt', '');
    await runInDuckdb([
      `COPY (SELECT 1 AS id) TO '${path('a.parquet')}' (FORMAT parquet)`,
      `COPY (SELECT 'x' AS id) TO '${path('b.parquet')}' (FORMAT parquet)`,
    ]);
    expect(await refused(join(folder.path, 'types'))).toEqual([
      3,
      'SOURCE_UNREADABLE: /types/a.parquet has the column id with the type INTEGER, and other files have it with another type. Check them by themselves.',
    ]);
  });
});

test('A column of another type breaks the contract in every row, and is an error of its own', async () => {
  const rows = "SELECT 'x' || range AS id FROM range(3)";
  const [parquet, csv, json] = ['parquet', 'csv', 'ndjson'].map((name) =>
    join(folder.path, `typed.${name}`),
  ) as [string, string, string];
  await runInDuckdb([
    `COPY (${rows}) TO '${parquet}' (FORMAT parquet)`,
    `COPY (${rows}) TO '${csv}' (FORMAT csv)`,
    `COPY (${rows}) TO '${json}' (FORMAT json)`,
  ]);
  const contract = await contractOf(whole);
  const ofType = (type: string) => `must be an integer, and the column has the type ${type}`;
  const error = (message: string) =>
    `SOURCE_COLUMN_TYPE: $.id ${message}. Correct the column, or the contract.\n`;
  for (const [code, message, address, ...more] of [
    [3, ofType('VARCHAR'), parquet],
    // Files without types have values that are wrong.
    [1, 'must be an integer', csv],
    [1, 'must be an integer', json],
    [3, ofType('text'), database.url, '--query', "select 'x' || id as id from orders where id < 4"],
  ] as const) {
    const checked = await check(contract, address, ...more);
    expect([checked.code, checked.stderr, JSON.parse(checked.stdout).rules]).toEqual([
      code,
      code === 3 ? error(message) : '',
      expect.arrayContaining([expect.objectContaining({ name: '$.id type', rows: 3, message })]),
    ]);
  }
});

test('A contract with a password in its SQL is refused, and the password is not shown', async () => {
  const sql = "select * from dblink('postgres://ada:secret-word@db/shop', 'select 1') as t (a int)";
  const contract = await contractOf(whole, { custom: [{ name: 'own', type: 'sql', sql }] });
  const { code, stdout, stderr } = await check(contract, database.url, '--table', 'orders');
  expect([code, stderr]).toEqual([3, expect.stringContaining('has a password')]);
  expect(stdout + stderr).not.toContain('secret-word');
});

describe('A rule in SQL that comes with a contract', () => {
  const custom = async (sql: string) =>
    check(
      await contractOf(whole, { custom: [{ name: 'own', type: 'sql', sql }] }),
      database.url,
      ...['--table', 'orders'],
    );

  test('fails if it finds rows', async () => {
    const { code, stdout } = await custom('select id from orders where id > 7');
    expect([code, JSON.parse(stdout).rules]).toEqual([
      1,
      expect.arrayContaining([
        expect.objectContaining({ name: 'custom.own', status: 'failed', rows: 2 }),
      ]),
    ]);
  });

  test.each([
    "select nextval('numbers')",
    'with gone as (delete from orders returning id) select * from gone',
    'select 1) x; drop table orders; --',
    "select set_config('transaction_read_only', 'off', false), nextval('numbers')",
    'select * from no_such_table',
  ])('is refused if it writes, or cannot be run: %s', async (sql) => {
    const { code, stdout, stderr } = await custom(sql);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^SOURCE_[A-Z_]+: Postgres says: .* This is about the rule custom.own\.\n$/,
    );
    expect(await database.query('SELECT count(*)::int AS n FROM orders')).toEqual([{ n: 9 }]);
    expect(await database.query('SELECT is_called FROM numbers')).toEqual([{ is_called: false }]);
  });
});

describe('Columns as nobody would name them', () => {
  const names = [
    'a"b',
    "x'); drop table orders; --",
    'ä b',
    '$.c',
    'SELECT',
    'a/b~c',
    '\\',
    '{{x}}',
  ];
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'integer', minimum: 2 }])),
    additionalProperties: false,
  };
  const failing = async (source: string, ...more: readonly string[]) => {
    const { stdout, stderr } = await check(
      await contractOf(schema, { custom: [{ type: 'unique', columns: names }] }),
      ...([source, ...more] as const),
    );
    if (stdout === '') throw new Error(stderr);
    const { rules } = JSON.parse(stdout);
    return rules
      .filter((rule: { status: string }) => rule.status === 'failed')
      .map((rule: { rows: number }) => rule.rows);
  };
  const columns = names.map((name) => `1 AS "${name.replaceAll('"', '""')}"`);

  test('in Postgres', async () => {
    await database.query(`CREATE TABLE odd AS SELECT ${columns} FROM generate_series(1, 3)`);
    expect(await failing(database.url, '--table', 'odd')).toEqual([...names.map(() => 3), 3]);
  });

  test.each(['parquet', 'csv', 'ndjson'])('in a file of %s', async (format) => {
    const path = join(folder.path, `odd.${format}`);
    const kind = format === 'ndjson' ? 'json' : format;
    await runInDuckdb([`COPY (SELECT ${columns} FROM range(3)) TO '${path}' (FORMAT ${kind})`]);
    expect(await failing(path)).toEqual([3, ...names.map(() => 3)]);
  });

  test('are ten thousand', async () => {
    const path = join(folder.path, 'wide.parquet');
    const many = Array.from({ length: 10_000 }, (_, index) => `column_${index}`);
    const values = many.map((name, index) => `${index % 5000 === 1 ? 0 : 5} AS ${name}`);
    await runInDuckdb([`COPY (SELECT ${values}) TO '${path}' (FORMAT parquet)`]);
    const wide = {
      type: 'object',
      properties: Object.fromEntries(many.map((name) => [name, { type: 'integer', minimum: 2 }])),
    };
    const { code, stdout } = await check(await contractOf(wide), path);
    const failed = JSON.parse(stdout).rules.filter((rule: { rows: number }) => rule.rows > 0);
    expect([code, failed.map((rule: { name: string }) => rule.name)]).toEqual([
      1,
      ['$.column_1 minimum', '$.column_5001 minimum'],
    ]);
  });
});

describe('What is larger than the memory of a check', () => {
  test('is read a few columns at a time, if they are many and wide', async () => {
    const path = join(folder.path, 'many-and-wide.parquet');
    const many = Array.from({ length: 100 }, (_, index) => `column_${index}`);
    const values = many.map((name, index) => `range || repeat('x', 500 + ${index}) AS ${name}`);
    await runInDuckdb([`COPY (SELECT ${values} FROM range(8000)) TO '${path}' (FORMAT parquet)`]);
    const properties = Object.fromEntries(
      many.map((name, index) => [name, { type: 'string', maxLength: index === 50 ? 553 : 603 }]),
    );
    const { code, stdout, stderr } = await check(await contractOf({ properties }), path);
    expect([code, stderr]).toEqual([1, '']);
    const { rows, rules } = JSON.parse(stdout);
    const failed = rules.filter(({ status }: { status: string }) => status === 'failed');
    expect([rows, failed.length, failed[0].name, failed[0].rows]).toEqual([
      ...[8000, 1, '$.column_50 maxLength', 7000],
    ]);
  });

  test.each(['parquet', 'csv', 'json'])(
    'is counted in a file of %s, if it is long and must be unique',
    async (format) => {
      const path = join(folder.path, `long.${format === 'json' ? 'ndjson' : format}`);
      const rows = "SELECT (range % 299998) || repeat('x', 1000) AS token FROM range(300000)";
      await runInDuckdb([`COPY (${rows}) TO '${path}' (FORMAT ${format})`]);
      const unique = { custom: [{ type: 'unique', column: 'token' }] };
      const contract = await contractOf({ properties: { token: { type: 'string' } } }, unique);
      const { code, stdout, stderr } = await check(contract, path);
      expect([code, stderr]).toEqual([1, '']);
      const [rule] = JSON.parse(stdout).rules.filter(
        ({ status }: { status: string }) => status === 'failed',
      );
      expect([rule.name, rule.rows]).toEqual(['custom.unique.token', 4]);
    },
  );
});

describe('What SQL cannot say', () => {
  test('is read value by value, and that is told', async () => {
    const contract = await contractOf({
      properties: { code: { type: 'string', pattern: '^(?!x)' } },
    });
    const query = 'select n, chr(96 + n) as code from generate_series(1, 26) n';
    const { code, stdout } = await run(['check', '--contract', contract, '--query', query], '', {
      env: { CONCORDAT_SOURCE: database.url },
    });
    expect([code, stdout]).toEqual([
      1,
      '✗ $.code pattern in 1 row: must match the pattern ^(?!x); for example "x" in code "x"\n' +
        '= read value by value where SQL cannot say their rules exactly: code.\n' +
        '26 rows: 1 rule failed.\n',
    ]);
  });

  test('is a schema that refers to itself, on a column of JSON', async () => {
    const contract = await contractOf({
      properties: { tree: { $ref: '#/$defs/tree' } },
      $defs: {
        tree: {
          type: 'object',
          required: ['name'],
          properties: { inside: { type: 'array', items: { $ref: '#/$defs/tree' } } },
        },
      },
    });
    await database.query(`CREATE TABLE trees AS SELECT tree::jsonb FROM (VALUES
      ('{"name": "a", "inside": [{"name": "b"}]}'),
      ('{"name": "a", "inside": [{"name": "b", "inside": [{}, {}]}]}')) AS t (tree)`);
    const { code, stdout } = await check(contract, database.url, '--table', 'trees');
    const failed = JSON.parse(stdout).rules.filter((rule: { rows: number }) => rule.rows > 0);
    expect([code, failed]).toEqual([
      1,
      [expect.objectContaining({ name: '$.tree.inside[*].inside[*].name required', rows: 1 })],
    ]);
  });

  test('is a contract about whole rows, which are read', async () => {
    const contract = await contractOf({
      if: { properties: { state: { const: 'paid' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { properties: { paid_at: { type: 'string' } } },
    });
    const query = "select 'paid' as state, null as paid_at";
    const { code, stdout } = await check(contract, database.url, '--query', query);
    expect([code, JSON.parse(stdout).rules]).toEqual([
      1,
      [expect.objectContaining({ name: '$.paid_at type', status: 'failed', rows: 1 })],
    ]);
  });
});

test('A table without a column that is required is wrong, even if it has no rows', async () => {
  const contract = await contractOf({ required: ['gone'], properties: { id: {} } });
  const query = 'select 1 as id where false';
  const { code, stdout } = await check(contract, database.url, '--query', query);
  expect([code, JSON.parse(stdout).rules]).toEqual([
    1,
    [expect.objectContaining({ name: '$.gone required', status: 'failed', rows: 0 })],
  ]);
});

test('Lists, structs and maps of Parquet are read as their values, also times, NaN and exact numbers', async () => {
  const path = join(folder.path, 'nested.parquet');
  const fields = {
    dec: '12345678901234567.89::DECIMAL(20,2)',
    at: "TIMESTAMP '2024-01-01 10:00:00.5'",
    nan: "'NaN'::DOUBLE",
    huge: '99999999999999999999999999999999999999::DECIMAL(38,0)',
    single: '0.1::FLOAT',
    before: "TIMESTAMP '1969-12-31 23:59:59.999999'",
    day: "DATE '2024-02-29'",
    zoned: "TIMESTAMPTZ '2024-01-01 10:00:00+02'",
    map: "MAP {'k': [1, NULL]}",
    none: 'NULL::INT',
    nano: "'2024-01-01 10:00:00.123456789'::TIMESTAMP_NS",
  };
  const struct = Object.entries(fields).map(([name, sql]) => `"${name}": ${sql}`);
  await runInDuckdb([
    "SET TimeZone = 'UTC'",
    `COPY (SELECT [{${struct}}] AS a, ${fields.nano} AS n) TO '${path}' (FORMAT parquet)`,
  ]);
  const expected = JSON.parse(
    `[{"dec": 0, "at": "2024-01-01T10:00:00.500000Z", "nan": "NaN", "huge": 0, "single": 0.1,
      "before": "1969-12-31T23:59:59.999999Z", "day": "2024-02-29", "zoned": "2024-01-01T08:00:00.000000Z",
      "map": {"k": [1, null]}, "none": null, "nano": "2024-01-01T10:00:00.123456Z"}]`,
  );
  const text = JSON.stringify(expected)
    .replace('"dec":0', '"dec":12345678901234567.89')
    .replace('"huge":0', '"huge":99999999999999999999999999999999999999');
  const contract = await folder.file(
    'nested.json',
    `{"properties": {"a": {"const": ${text}}, "n": {"type": "string", "format": "date-time"}}}`,
  );
  expect(await check(contract, path)).toMatchObject({ code: 0, stderr: '' });
  const other = await folder.file(
    'other.json',
    `{"properties": {"a": {"const": ${text.replace('.89', '.88')}}}}`,
  );
  expect(await check(other, path)).toMatchObject({ code: 1, stderr: '' });
});
