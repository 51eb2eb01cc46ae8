// A table or query of Postgres, read in one transaction that cannot write.

import type { Client, QueryArrayResult } from 'pg';
import { postgresDialectOf, quoteName } from '../../core/checks/sql/dialect.ts';
import { decimalKind, integerKind } from '../../core/checks/sql/exact-kinds.ts';
import type { ColumnKind, SourceColumn } from '../../core/checks/sql/source-column.ts';
import { connect } from '../../ops/postgres/connect.ts';
import { DatabaseUrlProblem } from '../../ops/postgres/database-url.ts';
import { type Cell, type Source, sourceFailure } from './source.ts';

interface PostgresTarget {
  readonly url: string;
  readonly table?: string | undefined;
  readonly query?: string | undefined;
  readonly timeoutMs: number;
}

/** Rows that are fetched at once: of the widest tables a few megabytes. */
const batchRows = 1_000;

/** A user or a database may have others, by which values and literals would read differently. */
const session = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  // Rows that a policy hides would never be checked: Postgres refuses the query instead.
  row_security: 'off',
} as const;

export async function openPostgres(target: PostgresTarget): Promise<Source> {
  const client = await open(target);
  const ask = async (text: string, values: readonly unknown[] = []) => {
    try {
      // One statement only: the extended protocol takes no second one.
      const asked = { text, values: [...values], rowMode: 'array' as const, queryMode: 'extended' };
      return await client.query<Cell[]>(asked);
    } catch (error) {
      throw failureOf(error);
    }
  };
  try {
    await ask('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const settings = Object.entries(session).map(
      ([name, value]) => `set_config('${name}', '${value}', true)`,
    );
    const [[encoding] = []] = (
      await ask(`SELECT current_setting('server_encoding'), ${settings.join(', ')}`)
    ).rows;
    const from = fromOf(target);
    return {
      ...{ dialect: postgresDialectOf(encoding ?? ''), from, runsCustomSql: true },
      columns: await describe(ask, from),
      primaryKey: target.query === undefined ? await primaryKeyOf(ask, from) : [],
      place: target.query === undefined && (await isTable(ask, from)) ? [tupleId] : [],
      ask: async (sql) => {
        await ask('SAVEPOINT asked');
        const { rows } = await ask(sql);
        // SQL of a contract may have changed settings, by which others would mean something else.
        await ask('ROLLBACK TO SAVEPOINT asked');
        return rows;
      },
      stream: (sql) => streamed(ask, sql),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}

async function open({ url, timeoutMs }: PostgresTarget): Promise<Client> {
  try {
    return await connect(url, {
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: timeoutMs,
      // A source that hangs answers nothing, not even to the server's own timeout.
      query_timeout: timeoutMs + 5_000,
      application_name: 'concordat check',
      // Values stay text, so that nothing is rounded on the way.
      types: { getTypeParser: () => (text: string) => text },
    });
  } catch (error) {
    throw failureOf(error);
  }
}

type Ask = (text: string, values?: readonly unknown[]) => Promise<QueryArrayResult<Cell[]>>;

async function* streamed(ask: Ask, sql: string): AsyncGenerator<readonly Cell[][]> {
  await ask(`DECLARE checked_rows NO SCROLL CURSOR FOR ${sql}`);
  for (;;) {
    const { rows } = await ask(`FETCH ${batchRows} FROM checked_rows`);
    if (rows.length === 0) break;
    yield rows;
  }
  await ask('CLOSE checked_rows');
}

function fromOf({ table, query }: PostgresTarget): string {
  if (query !== undefined) return `(${query}\n) AS checked`;
  const parts = (table ?? '').split('.').filter((part) => part !== '');
  if (parts.length === 0 || parts.length > 2) {
    const message =
      'Name the table with --table, such as --table public.orders, or give a --query.';
    throw sourceFailure('SOURCE_NOT_SUPPORTED', message);
  }
  return parts.map(quoteName).join('.');
}

async function describe(ask: Ask, from: string): Promise<readonly SourceColumn[]> {
  const { fields } = await ask(`SELECT * FROM ${from} LIMIT 0`);
  const names = fields.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    const message = `Two columns of the query are called ${repeated}. Give one another name.`;
    throw sourceFailure('SOURCE_UNREADABLE', message);
  }
  const ids = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))];
  const { rows } = await ask(
    'SELECT oid::text, typcategory::text, typtype::text FROM pg_type WHERE oid = ANY ($1::oid[])',
    [`{${ids.join(',')}}`],
  );
  const nested = new Set(
    rows.filter(([, category, type]) => category === 'A' || type === 'c').map(([id]) => Number(id)),
  );
  return fields.map(({ name, dataTypeID, dataTypeModifier }) => {
    const known = types[dataTypeID] ?? [nested.has(dataTypeID) ? json : text, 'text'];
    const [type, sqlType] =
      dataTypeID === numericId ? ([numericKind(dataTypeModifier), 'numeric'] as const) : known;
    return { name, type, sqlType };
  });
}

/** Where Postgres keeps a row, until something changes it. */
const tupleId: SourceColumn = { name: 'ctid', type: { kind: 'text' }, sqlType: 'tid' };

/** A view has no such places, and in partitions they repeat. */
async function isTable(ask: Ask, table: string): Promise<boolean> {
  const { rows } = await ask(
    "SELECT 1 FROM pg_class WHERE oid = $1::regclass AND relkind IN ('r', 'm') AND NOT relhassubclass",
    [table],
  );
  return rows.length > 0;
}

async function primaryKeyOf(ask: Ask, table: string): Promise<readonly string[]> {
  const { rows } = await ask(
    `SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
      WHERE indrelid = $1::regclass AND indisprimary ORDER BY array_position(indkey, attnum)`,
    [table],
  );
  return rows.flatMap(([name]) => name ?? []);
}

const text: ColumnKind = { kind: 'text' };
const json: ColumnKind = { kind: 'json' };
const numericId = 1700;

/** The modifier packs precision and scale, and is -1 without either. */
function numericKind(modifier: number): ColumnKind {
  if (modifier < 0) return { kind: 'exact', step: null, least: null, greatest: null, hasNan: true };
  const scale = (((modifier - 4) & 0x7ff) << 21) >> 21;
  const precision = ((modifier - 4) >> 16) & 0xffff;
  return decimalKind(precision, scale, true);
}

/** By the ids of Postgres's own types, which never change. */
const types: Readonly<Record<number, readonly [ColumnKind, string]>> = {
  16: [{ kind: 'boolean' }, 'boolean'],
  20: [integerKind(64, true), 'bigint'],
  21: [integerKind(16, true), 'smallint'],
  23: [integerKind(32, true), 'integer'],
  114: [json, 'json'],
  700: [{ kind: 'single' }, 'real'],
  701: [{ kind: 'double' }, 'double precision'],
  1082: [{ kind: 'date' }, 'date'],
  1114: [{ kind: 'timestamp' }, 'timestamp'],
  1115: [json, 'timestamp[]'],
  1184: [{ kind: 'timestamp' }, 'timestamptz'],
  2950: [{ kind: 'uuid' }, 'uuid'],
  3802: [json, 'jsonb'],
};

/** By the SQLSTATE, or the code of the system's network. */
function failureOf(error: unknown) {
  if (error instanceof DatabaseUrlProblem) {
    const message = error.message.replaceAll('DATABASE_URL', 'the source');
    return sourceFailure('SOURCE_NOT_SUPPORTED', message);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = error instanceof Error ? error.message : String(error);
  if (code === '42501' && reason.includes('row-level security')) {
    const message = `Row security hides rows from this user, so they would not be checked: ${reason}. Check as a user that sees all rows, or a view or --query that may.`;
    return sourceFailure('SOURCE_REFUSED', message);
  }
  if (['28P01', '28000', '42501'].includes(code)) {
    const message = `Postgres refuses the user or the password, or the user may not read this: ${reason}.`;
    return sourceFailure('SOURCE_REFUSED', message);
  }
  if (['42P01', '3F000', '3D000'].includes(code)) {
    return sourceFailure(
      'SOURCE_NOT_FOUND',
      `Postgres says: ${reason}. Check --table and the database.`,
    );
  }
  if (code === '57014' || /timeout/i.test(reason)) {
    const message =
      'Postgres did not answer in time. Raise --source-timeout, or check fewer rows with --query.';
    return sourceFailure('SOURCE_TIMEOUT', message);
  }
  if (/^(42|22|25|0A)/.test(code)) {
    return sourceFailure('SOURCE_UNREADABLE', `Postgres says: ${reason}.`);
  }
  const message = `The database cannot be reached: ${code === '' ? reason : code}. Check the host, the port and the network.`;
  return sourceFailure('SOURCE_NOT_REACHABLE', message);
}
