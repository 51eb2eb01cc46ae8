// The connection pool, and the conversion of Postgres' types.

import { types } from 'pg';
import {
  createPool,
  type DatabasePool,
  type Interceptor,
  type QueryResultRow,
  type QuerySqlToken,
  SchemaValidationError,
} from 'slonik';
import { type Json, parseJson } from '../../core/value/json.ts';
import { connect } from '../../ops/postgres/connect.ts';
import { watchAddress } from '../../ops/postgres/watch-address.ts';
import { createDriver, endOfUse, patient, reading } from './driver.ts';
import { answerPatienceMs } from './patience.ts';
import { queryMethods, withMethods } from './pool-methods.ts';
import type { Parse } from './prepared-batch.ts';
import { isPlannedEachTime, writtenRow } from './rows.ts';

interface PoolOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Tests validate every row against its shape; in production the shapes are only types. */
  readonly rowChecks: 'every' | 'none';
  /** Called at the start of each statement; the function it returns is called at the end. */
  readonly onStatement?: OnStatement | undefined;
  /** Called with the seconds that each statement took. */
  readonly observeStatement?: ((seconds: number) => void) | undefined;
  /** Sends each statement, and the commit, only after the previous one was answered. */
  readonly sendsApart?: boolean;
  /** Whether the URL leads to a pooler that may change the connection with each transaction. */
  readonly isPooled?: boolean;
  /** How long a read waits for a lock; 0, the default, for as long as a statement may take. */
  readonly readLockMs?: number;
  /** The maximum silence of a connection. */
  readonly answerPatienceMs?: number;
}

export type OnStatement = (text: string) => ((error?: unknown) => void) | null;

/** A statement that takes longer is a bug or a broken machine. */
const statementTimeoutMs = 30_000;
/** A transaction that waits this long for its own process has lost it. */
const idleInTransactionTimeoutMs = 30_000;
const connectionTimeoutMs = 5_000;
/** Idle connections are kept, because a new one costs 5 ms and a backend. */
const idleTimeoutMs = 60_000;

export function openPool(options: PoolOptions): Promise<DatabasePool> {
  const { isPooled = false, readLockMs = 0 } = options;
  const url = isPooled ? options.url : withSettings(options.url);
  // Only `connect` uses the settings of the URL; slonik ignores them.
  return createPool('postgres://', {
    driverFactory: createDriver({
      connect: () =>
        connect(url, isPooled ? pooledSession : { ...sessionSettings, ...lockLimit(readLockMs) }),
      watch: (onChange) => watchAddress(url, onChange),
      isPooled,
      settings: {
        ofReads: isPooled ? settingText({ ...settingsOfPooled, ...lockLimit(readLockMs) }) : null,
        ofOthers: isPooled
          ? settingText(settingsOfPooled)
          : readLockMs === 0
            ? null
            : settingText(lockLimit(0)),
      },
      parsers,
      answerPatienceMs: options.answerPatienceMs ?? answerPatienceMs,
      observeStatement: options.observeStatement ?? (() => {}),
    }),
    maxPoolSize: options.maxConnections,
    connectionRetryLimit: 0,
    idleTimeout: idleTimeoutMs,
    // DISCARD ALL would cost a round trip per query; nothing here sets more than SET LOCAL.
    resetConnection: ({ query }) => query(endOfUse),
    interceptors: [
      // A trace tells when each statement was answered: there, none waits for the next one either.
      namePreparedStatements(
        options.sendsApart === true || options.onStatement !== undefined ? 's' : patient,
      ),
      ...(options.rowChecks === 'every' ? [checkRows] : []),
      ...(options.onStatement === undefined ? [] : [tellStatements(options.onStatement)]),
    ],
  });
}

/**
 * Postgres writes `2026-01-31 12:00:00.12+00` where the session's time zone is UTC.
 *
 * @example parseTimestamp('2026-01-31 12:00:00.12+00') // '2026-01-31T12:00:00.120Z'
 */
export function parseTimestamp(text: string): string {
  if (!text.endsWith('+00')) return new Date(text).toISOString();
  const fraction = text.slice(20, -3).padEnd(3, '0').slice(0, 3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

function parseStored(text: string): Json {
  const parsed = parseJson(text, storedDepthLimit);
  if (!parsed.ok) throw new Error(`A stored JSON value cannot be read: ${parsed.message}`);
  return parsed.value;
}

/** By Postgres' types; pg converts the others. */
const parsers: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [types.builtins.TIMESTAMPTZ, parseTimestamp],
  [types.builtins.JSON, parseStored],
  [types.builtins.JSONB, parseStored],
  [types.builtins.INT8, Number],
]);

/** Aggregated rows wrap the caller's JSON in a few more levels. */
const storedDepthLimit = 600;

/**
 * Session settings as startup parameters, which cost no statement. Times are in UTC. JIT is off:
 * compiling takes longer than any statement here, and Debian's servers do it whenever the planner
 * estimates a large table as costly. A random page costs nearly as much as the next one, as on
 * every solid-state disk; otherwise totals are counted by reading the table, four times the size of
 * its index.
 */
export function withSettings(url: string): string {
  const parsed = new URL(url);
  const options = parsed.searchParams.get('options');
  const own = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  parsed.searchParams.set('options', options === null ? own : `${options} ${own}`);
  return parsed.href;
}

const settings = { TimeZone: 'UTC', jit: 'off', random_page_cost: '1.1' };

const pooledSession = { connectionTimeoutMillis: connectionTimeoutMs };

const timeouts = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
};

const sessionSettings = { ...pooledSession, ...timeouts };

/** The same for a transaction: a pooler refuses start-up parameters that it does not know. */
const settingsOfPooled = { ...settings, ...timeouts };

const lockLimit = (lockMs: number) => ({ lock_timeout: lockMs });

/** Sets these for the rest of the transaction. */
function settingText(all: Readonly<Record<string, string | number>>): string {
  const each = Object.entries(all).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`,
  );
  return `select ${each.join(', ')}`;
}

/** The same pool for reads. A read outside a transaction waits for a lock only as long as reads may. */
export function poolForReads(pool: DatabasePool): DatabasePool {
  return withMethods(
    pool,
    queryMethods,
    (call) =>
      (query, ...more) =>
        // slonik hands the name on to the driver.
        call({ ...(query as QuerySqlToken), name: reading }, ...more),
  );
}

/**
 * Each statement is parsed and planned once per connection: their texts are few and fixed. From the
 * sixth execution Postgres may use a generic plan. A write whose result nobody reads is marked in
 * its name.
 */
function namePreparedStatements(prefixOfWrites: string): Interceptor {
  const names = new Map<string, string>();
  return {
    name: 'prepared-statements',
    transformQuery: ({ resultParser }, query) => {
      if (resultParser !== undefined && isPlannedEachTime(resultParser)) return query;
      const isRead = query.name === reading;
      const prefix = isRead ? reading : resultParser === writtenRow ? prefixOfWrites : 's';
      const key = prefix + query.sql;
      let name = names.get(key);
      if (name === undefined) {
        if (names.size >= preparedStatementLimit) return query;
        name = `${prefix}${names.size}`;
        names.set(key, name);
      }
      return { ...query, name };
    },
  };
}

/** Of a few statements that are under way at once; a trace is worth the wait of a look at each. */
function tellStatements(onStatement: OnStatement): Interceptor {
  const underWay = new Map<string, (error?: unknown) => void>();
  const end = (queryId: string, error?: unknown) => {
    underWay.get(queryId)?.(error);
    underWay.delete(queryId);
    return null;
  };
  return {
    name: 'tell-statements',
    beforeQueryExecution: ({ queryId }, { sql }) => {
      const ended = onStatement(sql);
      if (ended !== null) underWay.set(queryId, ended);
      return null;
    },
    afterQueryExecution: ({ queryId }) => end(queryId),
    queryExecutionError: ({ queryId }, _query, error) => end(queryId, error),
  };
}

/** Lists build a text for each set of filters; beyond this limit the rest are planned each time. */
const preparedStatementLimit = 500;

const checkRows: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, query, row) => {
    if (resultParser === undefined) return row;
    const result = resultParser['~standard'].validate(row);
    if (result instanceof Promise) throw new Error('Row shapes are synchronous.');
    if (result.issues !== undefined) {
      throw new SchemaValidationError(query, row, result.issues);
    }
    return result.value as QueryResultRow;
  },
};
