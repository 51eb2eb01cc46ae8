// `concordat check` on each kind of source, with faults that were planted.

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type TestDatabase } from '../../../support/postgres/postgres.ts';
import { type Folder, makeFolder, run } from '../../support.ts';
import { runInDuckdb } from './parquet.ts';
import { faults, manifest, orderOf, rows } from './planted.ts';

let folder: Folder;
let database: TestDatabase;
let contract: string;
beforeAll(async () => {
  [folder, database] = await Promise.all([makeFolder(), openDatabase()]);
  contract = await folder.file('orders.yaml', manifest);
  for (const sql of tableSql('int', 'double precision', 'timestamptz')) await database.query(sql);
  const inText =
    "SELECT * REPLACE (strftime(placed_at, '%Y-%m-%dT%H:%M:%SZ') AS placed_at) FROM orders";
  const file = (name: string) => join(folder.path, name);
  await runInDuckdb([
    ...tableSql('INT', 'DOUBLE', 'TIMESTAMPTZ'),
    `COPY orders TO '${file('orders.parquet')}' (FORMAT parquet)`,
    `COPY (${inText}) TO '${file('orders.csv')}' (FORMAT csv)`,
    `COPY (${inText}) TO '${file('orders.ndjson')}' (FORMAT json)`,
  ]);
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

function tableSql(int: string, double: string, time: string) {
  const types = [int, 'text', int, double, 'text', 'text', 'text', 'text', time];
  const names = Object.keys(orderOf({}));
  const values = rows.map(
    (each) => `(${Object.values(each).map((value) => (value === null ? 'NULL' : `'${value}'`))})`,
  );
  return [
    `CREATE TABLE orders (${names.map((name, index) => `${name} ${types[index]}`)})`,
    `INSERT INTO orders VALUES ${values}`,
  ];
}

interface Told {
  readonly rows: number;
  readonly readByValue: readonly string[];
  readonly rules: readonly {
    readonly name: string;
    readonly status: string;
    readonly rows: number | null;
    readonly samples: readonly unknown[];
  }[];
}

async function check(source: string, ...more: readonly string[]) {
  const args = ['check', '--contract', contract, '--source', source, '--format', 'json', ...more];
  const { code, stdout, stderr } = await run(args);
  if (code !== 0 && code !== 1) throw new Error(stderr);
  const told: Told = JSON.parse(stdout);
  const failed = told.rules.filter(({ status }) => status === 'failed');
  return { code, ...told, failed: failed.map(({ name, rows }) => [name, rows]).sort() };
}

describe('Each planted fault is found and named', () => {
  test('in a table of Postgres', async () => {
    const { code, rows, failed, readByValue } = await check(
      database.url,
      '--table',
      'public.orders',
    );
    expect({ code, rows, failed }).toEqual({ code: 1, rows: 20, failed: faults });
    expect(readByValue).toEqual(['price', 'email']);
  });

  test.each(['parquet', 'csv', 'ndjson'])('in a file of %s', async (format) => {
    const { code, rows, failed } = await check(join(folder.path, `orders.${format}`));
    expect({ code, rows, failed }).toEqual({ code: 1, rows: 20, failed: faults });
  });

  test.each(['parquet', 'csv', 'ndjson'])('in a folder of files of %s', async (format) => {
    const inside = `in-${format}`;
    await folder.file(`${inside}/readme.txt`, 'These are orders.');
    for (const part of ['a', 'b']) {
      const path = join(folder.path, inside, `${part}.${format}`);
      await copyFile(join(folder.path, `orders.${format}`), path);
    }
    const { rows, failed } = await check(join(folder.path, inside));
    const doubled = faults.map(([name, count]) => [
      name,
      name === 'custom.unique.id' ? 40 : typeof count === 'number' ? count * 2 : count,
    ]);
    expect({ rows, failed }).toEqual({ rows: 40, failed: doubled });
  });
});

describe('A sample names its row', () => {
  const named = async (source: string, ...more: readonly string[]) => {
    const { rules } = await check(source, ...more);
    return Object.fromEntries(rules.map(({ name, samples }) => [name, samples]));
  };

  test('by what the contract calls unique, and shows no personal value', async () => {
    const expected = {
      '$.currency enum': [{ value: 'GBP', row: { id: 25 } }],
      '$.price multipleOf': [{ value: 1.3, row: { id: 24 } }],
      '$.email format': [{ row: { id: 27 } }],
      'custom.unique.id': [{ row: { id: 3 } }],
    };
    expect(await named(database.url, '--table', 'public.orders')).toMatchObject(expected);
    expect(await named(join(folder.path, 'orders.parquet'))).toMatchObject(expected);
    expect(await named(join(folder.path, 'orders.csv'))).toMatchObject(expected);
  });

  test('by the primary key, in its order, unless a part of it is not to be shown', async () => {
    await database.query(
      'CREATE TABLE keyed (day date, id int, note text, state text, email text, PRIMARY KEY (email, id, day))',
    );
    await database.query(
      "INSERT INTO keyed VALUES ('2026-01-02', 1, 'far too long', 'lost', 'ada')",
    );
    const [contract, plain] = [{ 'x-classification': 'pii' }, {}].map((email) => ({
      properties: { state: { enum: ['open'] }, email: { type: 'string', ...email } },
    }));
    const samplesBy = async (schema: object | undefined) => {
      const path = await folder.file(`keyed-${Math.random()}.json`, schema ?? {});
      const args = ['check', '--contract', path, '--source', database.url, '--table', 'keyed'];
      const { rules }: Told = JSON.parse((await run([...args, '--format', 'json'])).stdout);
      return rules.find(({ name }) => name === '$.state enum')?.samples;
    };
    expect(await samplesBy(contract)).toEqual([{ value: 'lost', row: { ctid: '(0,1)' } }]);
    const key = { email: 'ada', id: 1, day: '2026-01-02' };
    expect(await samplesBy(plain)).toEqual([{ value: 'lost', row: key }]);
    expect(JSON.stringify(await samplesBy(plain))).toContain(JSON.stringify(key));
  });

  test.each([
    ['by one pass', { properties: { currency: { enum: ['EUR'] } } }, 'GBP'],
    ['value by value', { properties: { email: { format: 'email' } } }, 'ada'],
    ['row by row', { properties: { currency: { enum: ['EUR'] } }, minProperties: 1 }, 'GBP'],
  ])('%s: by its place, where nothing is called unique', async (_, schema, value) => {
    const path = await folder.file(`placed-${value}-${Object.keys(schema).length}.json`, schema);
    const rowOf = async (source: string, ...more: readonly string[]) => {
      const args = ['check', '--contract', path, '--source', source, '--format', 'json', ...more];
      const { rules }: Told = JSON.parse((await run(args)).stdout);
      const samples = rules.flatMap(({ samples }) => samples) as { value: unknown; row: unknown }[];
      expect(samples.map((each) => each.value)).toContain(value);
      return samples[0]?.row;
    };
    const index = rows.findIndex((each) => Object.values(each).includes(value));
    const table = await rowOf(database.url, '--table', 'public.orders');
    expect(table).toEqual({ ctid: `(0,${index + 1})` });
    const [found] = await database.query(`select * from orders where ctid = '(0,${index + 1})'`);
    expect(Object.values(found ?? {})).toContain(value);
    for (const [format, place] of [
      ['parquet', { file_row_number: index }],
      ['csv', { row_number: index + 1 }],
    ] as const) {
      const file = join(folder.path, `orders.${format}`);
      expect(await rowOf(file)).toEqual(place);
      await folder.file(`placed-${format}/readme.txt`, 'Two files.');
      for (const part of ['a', 'b']) {
        await copyFile(file, join(folder.path, `placed-${format}`, `${part}.${format}`));
      }
      expect(await rowOf(join(folder.path, `placed-${format}`))).toEqual({
        filename: expect.stringMatching(new RegExp(`[ab]\\.${format}$`)),
        ...place,
      });
    }
  });

  test.each(['parquet', 'csv'])(
    'by its place, although the file of %s has columns of these names itself',
    async (format) => {
      const columns = ['filename', 'file_row_number', 'row_number'].map(
        (name) => `range AS ${name}`,
      );
      for (const part of ['a', 'b']) {
        await folder.file(`own-${format}/readme.txt`, 'Two files.');
        const path = join(folder.path, `own-${format}`, `${part}.${format}`);
        const rows = `SELECT ${columns}, CASE WHEN range = 3 THEN '${part}' END AS state FROM range(5)`;
        await runInDuckdb([`COPY (${rows}) TO '${path}' (FORMAT ${format})`]);
      }
      const path = await folder.file('own.json', { properties: { state: { enum: [null, 'a'] } } });
      const source = join(folder.path, `own-${format}`);
      const args = ['check', '--contract', path, '--source', source, '--format', 'json'];
      const { rules }: Told = JSON.parse((await run(args)).stdout);
      const number = format === 'csv' ? ['row_number', 4] : ['file_row_number', 3];
      const row = {
        'filename of the source': join(source, `b.${format}`),
        [`${number[0]} of the source`]: number[1],
      };
      expect(rules.flatMap(({ samples }) => samples)).toEqual([{ value: 'b', row }]);
    },
  );

  test('by its first values that may be shown, where it has neither key nor place', async () => {
    const path = await folder.file('unnamed.json', {
      properties: {
        ...{ id: {}, note: {}, more: {}, b: {}, c: {} },
        state: { enum: ['open'] },
        email: { type: 'string', maxLength: 3, 'x-classification': 'pii' },
      },
    });
    const query = `select 'ada@example.com' as email, 1 as id, repeat('x', 300) as note, '[1]'::json as more, 'lost' as state, 'b' as b, 'c' as c`;
    await database.query(`CREATE VIEW unnamed AS ${query}`);
    for (const from of [
      ['--query', query],
      ['--table', 'unnamed'],
    ]) {
      const args = ['check', '--contract', path, '--source', database.url, '--format', 'json'];
      const { rules }: Told = JSON.parse((await run([...args, ...from])).stdout);
      const row = { id: 1, state: 'lost', b: 'b', c: 'c' };
      expect(rules.flatMap(({ samples }) => samples)).toEqual([{ row }, { value: 'lost', row }]);
    }
  });

  test('by no value of a column that the contract does not describe, or in other capitals', async () => {
    const path = await folder.file('undescribed.json', {
      properties: {
        ...{ id: {}, email: { 'x-classification': 'pii' } },
        state: { enum: ['open'] },
      },
    });
    const query = `select 'ada@example.com' as "Email", 'Ada' as called, 1 as id, 'lost' as state`;
    const args = ['check', '--contract', path, '--source', database.url, '--format', 'json'];
    const { rules }: Told = JSON.parse((await run([...args, '--query', query])).stdout);
    const row = { id: 1, state: 'lost' };
    expect(rules.flatMap(({ samples }) => samples)).toEqual([{ value: 'lost', row }]);
  });

  test('by its line, and its file if there are several', async () => {
    const file = join(folder.path, 'orders.ndjson');
    const samples = await named(file);
    expect(samples['$.currency enum']).toEqual([{ value: 'GBP', row: { line: 17 } }]);
    await folder.file('two/a.ndjson', '{"id": 1}\n');
    const second = await folder.file('two/b.ndjson', '\n{"currency": "GBP"}\n');
    expect((await named(join(folder.path, 'two')))['$.currency enum']).toEqual([
      { value: 'GBP', row: { file: second, line: 2 } },
    ]);
  });

  test('in the text of the command', async () => {
    const args = ['check', '--contract', contract, '--source', database.url, '--table', 'orders'];
    const { stdout } = await run(args);
    expect(stdout).toContain('for example "GBP" in id 25\n');
    expect(stdout).toContain('for example in id 27\n');
  });
});

test('A table is read once for its schema and for guarantees of rows, of their number and of their age', async () => {
  await database.query("CREATE TABLE once AS SELECT 1 AS id, 'open' AS state, now() AS at");
  const schema = { properties: { id: { type: 'integer', minimum: 1 }, state: { minLength: 1 } } };
  const guarantees = {
    nullability: { id: 'never' },
    acceptedValues: { state: ['open', 'paid'] },
    volume: { minRows: 1 },
    freshness: { maxStalenessMinutes: 60, measuredBy: 'at' },
  };
  const path = await folder.file('once.json', {
    ...{ apiVersion: 'concordat.dev/v1', kind: 'DataContract', metadata: { name: 'once' } },
    spec: { fqn: 'shop.public.once', schema, guarantees },
  });
  const args = ['check', '--contract', path, '--source', database.url, '--table', 'once'];
  expect(await run(args)).toMatchObject({
    ...{ code: 0, stdout: '1 row: the data matches the contract.\n' },
  });
  // Postgres counts the scans of a session when it ends.
  const scans = async () => {
    const sql = "SELECT seq_scan::int AS n FROM pg_stat_user_tables WHERE relname = 'once'";
    return (await database.query(sql))[0]?.n;
  };
  await expect.poll(scans, { timeout: 60_000 }).not.toBe(0);
  expect(await scans()).toBe(1);
});

describe('What leaves a source', () => {
  test('is no value of a column that is personal or named', async () => {
    const { code, stdout } = await run([
      ...['check', '--contract', contract, '--source', database.url, '--table', 'orders'],
      ...['--redact', 'state,sku'],
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain('for example "GBP"');
    expect(stdout).not.toMatch(/ada|lost|abc-1/);
  });

  test.each([
    ['a table', () => [database.url, '--table', 'orders']],
    ['lines', async () => [await folder.file('named.ndjson', '{"state": "lost"}\n')]],
  ])('is nothing while --redact names what %s does not have', async (_, sourceOf) => {
    const { code, stdout, stderr } = await run([
      ...[
        'check',
        '--contract',
        contract,
        '--redact',
        'sku,State',
        '--source',
        ...(await sourceOf()),
      ],
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--redact names State, and neither the source nor the contract has');
  });

  test.each([
    ['of a table, of one rule', 'many.parquet', 1, {}, [5]],
    ['of a table, of many rules', 'many.parquet', 6, {}, [3, 3, 3, 3, 3, 3]],
    ['read one by one', 'many.parquet', 6, { pattern: '^(?!x)' }, [3, 3, 3, 3, 3, 3]],
    ['of lines', 'many.ndjson', 6, {}, [4, 4, 3, 3, 3, 3]],
  ])(
    'is at most five values for each rule, 20 in all, and one for each rule first: %s',
    async (_, file, count, more, expected) => {
      const columns = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, count);
      const path = join(folder.path, file);
      const format = file.endsWith('.parquet') ? 'parquet' : 'json';
      const values = columns.map((name) => `'x' || range AS ${name}`);
      await runInDuckdb([`COPY (SELECT ${values} FROM range(99)) TO '${path}' (FORMAT ${format})`]);
      const schema = Object.keys(more).length === 0 ? { maxLength: 1 } : more;
      const properties = Object.fromEntries(columns.map((name) => [name, schema]));
      const contract = await folder.file(`many-${Math.random()}.json`, { properties });
      const args = ['check', '--contract', contract, '--source', path, '--format', 'json'];
      const { rules }: Told = JSON.parse((await run(args)).stdout);
      expect(rules.map(({ samples }) => samples.length)).toEqual(expected);
    },
  );

  test.each([
    [
      {
        properties: { email: { $ref: '#/$defs/e' } },
        $defs: { e: { 'x-classification': 'pii', maxLength: 3 } },
      },
    ],
    [
      {
        properties: { email: { 'x-classification': 'pii' } },
        allOf: [{ properties: { email: { maxLength: 3 } } }],
      },
    ],
    [
      {
        properties: { email: { 'x-classification': 'pii' } },
        allOf: [{ properties: { email: { format: 'uuid' } } }],
      },
    ],
  ])('is no personal data, whichever schema marks it: %j', async (schema) => {
    const path = await folder.file(`pii-${Math.random()}.json`, schema);
    const args = ['check', '--contract', path, '--source', database.url, '--table', 'orders'];
    const { code, stdout } = await run([...args, '--format', 'json']);
    expect(code).toBe(1);
    expect(stdout).not.toContain('ada');
  });

  test('is no personal data that lies within a column, as a value or as a part of a key', async () => {
    const customer = { type: 'object', properties: { email: { 'x-classification': 'pii' } } };
    const spec = {
      fqn: 'shop.public.orders',
      schema: { properties: { customer, state: { enum: ['open'] } } },
      guarantees: { custom: [{ type: 'unique', column: 'customer' }] },
    };
    const manifest = { kind: 'DataContract', metadata: { name: 'orders' }, spec };
    const path = await folder.file('within.json', {
      apiVersion: 'concordat.dev/v1',
      ...manifest,
    });
    const query = `select '{"email": "ada"}'::jsonb as customer, 'lost' as state from generate_series(1, 2)`;
    const args = ['check', '--contract', path, '--source', database.url, '--query', query];
    const { stdout } = await run([...args, '--format', 'json']);
    expect(stdout).toContain('"lost"');
    expect(stdout).not.toContain('ada');
  });

  test('is no key of a map that is personal', async () => {
    const path = await folder.file('keys.json', {
      properties: {
        phones: { 'x-classification': 'pii', additionalProperties: { type: 'string' } },
        mails: { propertyNames: { 'x-classification': 'pii', maxLength: 3 } },
      },
    });
    const rows = await folder.file('keys.ndjson', '{"phones": {"ada": 1}, "mails": {"ada@": 1}}\n');
    const { stdout } = await run(['check', '--contract', path, '--source', rows]);
    expect(stdout).toContain('$.phones.* type');
    expect(stdout).toContain('$.mails.* propertyNames');
    expect(stdout).not.toContain('ada');
  });

  test.each([
    ['of lines', 'redacted.ndjson'],
    ['of a column that is read value by value', 'redacted.parquet'],
  ])('is no value and no key of a map within a column that is named: %s', async (_, file) => {
    const contract = await folder.file('redacted.json', {
      properties: {
        phones: {
          properties: { home: { type: 'string' } },
          additionalProperties: { type: 'string' },
        },
        state: { enum: ['open'] },
      },
    });
    const path = join(folder.path, file);
    const format = file.endsWith('.parquet') ? 'parquet' : 'json';
    const phones = `MAP {'ada@example.com': 12345, 'home': 67890}`;
    const query = `SELECT ${phones} AS phones, 'lost' AS state`;
    await runInDuckdb([`COPY (${query}) TO '${path}' (FORMAT ${format})`]);
    const args = ['check', '--contract', contract, '--source', path, '--redact', 'phones'];
    const { code, stdout } = await run(args);
    expect(code).toBe(1);
    // What the contract names is no data.
    for (const shown of ['$.phones.* type', '$.phones.home type', '"lost"']) {
      expect(stdout).toContain(shown);
    }
    expect(stdout).not.toMatch(/ada|12345|67890/);
  });
});
