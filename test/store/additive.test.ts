// The previous version serves while a new one migrates the database: everything that its statements
// read still exists, and everything that it inserts is still accepted.

import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadMigrations, migrate } from '../../src/store/postgres/migrate.ts';
import { databaseUrl } from '../support/postgres/postgres-setup.ts';

const ours = join(import.meta.dirname, '../../src/store/migrations');

interface Column {
  readonly type: string;
  readonly isNullable: boolean;
  /** It has a default, or is made by Postgres: an insert may leave it out. */
  readonly isFilled: boolean;
}

interface Schema {
  readonly columns: ReadonlyMap<string, Column>;
  /** The text of everything that refuses rows: checks, unique keys, foreign keys, triggers. */
  readonly refusals: ReadonlySet<string>;
}

let folder: string;
let schemas: readonly Schema[];
let names: readonly string[];
let breaking: ReadonlySet<string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'concordat-additive-'));
  const migrations = await loadMigrations(ours);
  names = migrations.map(({ name }) => name);
  breaking = new Set(migrations.filter(({ isBreaking }) => isBreaking).map(({ name }) => name));
  schemas = await migrateStepwise();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The schema after each migration, on a database that is migrated step by step. */
async function migrateStepwise(): Promise<readonly Schema[]> {
  const serverUrl = inject('postgresUrl');
  const name = `additive_${process.pid}`;
  const server = new pg.Client(serverUrl);
  await server.connect();
  await server.query(`create database ${name}`);
  const url = databaseUrl(serverUrl, name);
  const found: Schema[] = [];
  for (const file of (await readdir(ours)).filter((one) => one.endsWith('.sql')).sort()) {
    await cp(join(ours, file), join(folder, file));
    await migrate(url, { folder });
    found.push(await readSchema(url));
  }
  await server.query(`drop database ${name} with (force)`);
  await server.end();
  return found;
}

async function readSchema(url: string): Promise<Schema> {
  const client = new pg.Client(url);
  await client.connect();
  // Partitions are created monthly, and have the form of their table.
  const tables = `select oid from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`;
  const columns = await client.query(`
    select attrelid::regclass || '.' || attname as name, format_type(atttypid, atttypmod) as type,
      not attnotnull as nullable, atthasdef or attidentity <> '' as filled
    from pg_attribute where attnum > 0 and not attisdropped and attrelid in (${tables})`);
  const refusals = await client.query(`
    select conrelid::regclass || ': ' || pg_get_constraintdef(oid) as text
    from pg_constraint where contype in ('c', 'u', 'f', 'x', 'p') and conrelid in (${tables})
    union all
    select tablename || ': ' || regexp_replace(indexdef, '^.* USING ', '') from pg_indexes
    where indexdef like 'CREATE UNIQUE%' and schemaname = 'public'
    union all
    select tgrelid::regclass || ': ' || tgname from pg_trigger
    where not tgisinternal and tgrelid in (${tables})`);
  await client.end();
  return {
    columns: new Map(
      columns.rows.map(({ name, type, nullable, filled }) => [
        name,
        { type, isNullable: nullable, isFilled: filled },
      ]),
    ),
    refusals: new Set(refusals.rows.map(({ text }) => text)),
  };
}

const tableOf = (text: string) => text.slice(0, text.search(/[.:]/));
const tablesOf = ({ columns }: Schema) => new Set([...columns.keys()].map(tableOf));

/**
 * Keeps its own table up to date, concerns a column that is new, or accepts everything that the
 * previous check accepted.
 */
const harmless = new Set([
  'asset: FOREIGN KEY (imported_for) REFERENCES team(id)',
  "api_key: CHECK ((scopes <@ ARRAY['read'::text, 'acknowledge'::text, 'write'::text, 'admin'::text]))",
  "api_key: CHECK ((scopes <@ ARRAY['read'::text, 'acknowledge'::text, 'write'::text, 'force'::text, 'manage_people'::text, 'read_audit'::text, 'scim'::text, 'admin'::text]))",
  "asset: CHECK ((needs_mode = ANY (ARRAY['narrow'::text, 'protect'::text, 'ignore'::text])))",
  "asset: CHECK ((on_deadline = ANY (ARRAY['nothing'::text, 'remind'::text, 'escalate'::text])))",
  "proposal: CHECK ((kind = ANY (ARRAY['schema'::text, 'deprecation'::text, 'move'::text, 'guarantee_mode'::text, 'needs_mode'::text])))",
  "proposal: CHECK ((asks = ANY (ARRAY['all'::text, 'affected'::text, 'stated'::text])))",
  // It writes no user there.
  'webhook: btree (user_id) WHERE (user_id IS NOT NULL)',
  'quality_run: quality_run_is_noted',
  'quality_run: quality_run_is_moved',
]);

/** The changes that would break the previous version. */
function hurts(before: Schema, after: Schema): readonly string[] {
  const found: string[] = [];
  const old = tablesOf(before);
  for (const [name, column] of before.columns) {
    const now = after.columns.get(name);
    if (now === undefined) found.push(`${name} is gone`);
    else if (now.type !== column.type) found.push(`${name} was ${column.type}, is ${now.type}`);
    else if (column.isNullable && !now.isNullable) found.push(`${name} takes no null any more`);
    else if (column.isFilled && !now.isFilled) found.push(`${name} has lost its default`);
  }
  for (const [name, { isNullable, isFilled }] of after.columns) {
    const isNew = !before.columns.has(name) && old.has(tableOf(name));
    if (isNew && !isNullable && !isFilled) found.push(`${name} has to be given`);
  }
  for (const refusal of after.refusals) {
    if (harmless.has(refusal)) continue;
    if (old.has(tableOf(refusal)) && !before.refusals.has(refusal)) {
      found.push(`refuses more: ${refusal}`);
    }
  }
  return found;
}

describe('Each migration', () => {
  test('keeps everything that the previous version reads, and accepts everything that it writes', () => {
    expect(schemas.length).toBe(names.length);
    expect(schemas.at(-1)?.columns.size).toBeGreaterThan(100);
    const found = names.slice(1).flatMap((name, index) => {
      const [before, after] = [schemas[index], schemas[index + 1]];
      if (before === undefined || after === undefined || breaking.has(name)) return [];
      return hurts(before, after).map((what) => `${name}: ${what}`);
    });
    expect(found).toEqual([]);
  });

  test('would be detected if it did not: the comparison finds each kind of damage', () => {
    const column = { type: 'text', isNullable: true, isFilled: true };
    const schema = (columns: Record<string, Column>, refusals: readonly string[] = []): Schema => ({
      columns: new Map(Object.entries(columns)),
      refusals: new Set(refusals),
    });
    const before = schema({ 'a.x': column });
    const cases: readonly (readonly [Schema, readonly string[]])[] = [
      [schema({ 'a.x': column, 'b.y': { ...column, isNullable: false, isFilled: false } }), []],
      [schema({ 'a.y': column }), ['a.x is gone']],
      [schema({ 'a.x': { ...column, type: 'uuid' } }), ['a.x was text, is uuid']],
      [schema({ 'a.x': { ...column, isNullable: false } }), ['a.x takes no null any more']],
      [schema({ 'a.x': { ...column, isFilled: false } }), ['a.x has lost its default']],
      [
        schema({ 'a.x': column, 'a.z': { ...column, isNullable: false, isFilled: false } }),
        ['a.z has to be given'],
      ],
      [schema({ 'a.x': column }, ['a: CHECK (x)']), ['refuses more: a: CHECK (x)']],
      [schema({ 'a.x': column }, ['b: CHECK (x)']), []],
    ];
    for (const [after, expected] of cases) expect(hurts(before, after)).toEqual(expected);
  });
});
