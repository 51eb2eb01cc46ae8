// The connection pool, and what Postgres' types become here.

import {
  createPool,
  type DatabasePool,
  type Interceptor,
  type QueryResultRow,
  SchemaValidationError,
} from 'slonik';
import { type Json, parseJson } from '../core/json.ts';

export interface PoolOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Tests hold every row against its shape; in production the same shapes are only types. */
  readonly rowChecks: 'every' | 'none';
  /** Told of each statement as it begins; what it answers, of its end. */
  readonly onStatement?: OnStatement | undefined;
}

export type OnStatement = (text: string) => ((error?: unknown) => void) | null;

/** A statement that takes longer is a bug or a broken machine. */
const statementTimeoutMs = 30_000;
/** A transaction that waits for its own process this long has lost it. */
const idleInTransactionTimeoutMs = 30_000;
const connectionTimeoutMs = 5_000;
/** Idle connections are kept: making one costs 5 ms and a backend. */
const idleTimeoutMs = 60_000;

export function openPool(options: PoolOptions): Promise<DatabasePool> {
  return createPool(withSettings(options.url), {
    maxPoolSize: options.maxConnections,
    connectionTimeout: connectionTimeoutMs,
    connectionRetryLimit: 0,
    statementTimeout: statementTimeoutMs,
    idleInTransactionSessionTimeout: idleInTransactionTimeoutMs,
    idleTimeout: idleTimeoutMs,
    // DISCARD ALL would cost a round trip a query; nothing here sets more than SET LOCAL.
    resetConnection: async () => {},
    interceptors: [
      namePreparedStatements(),
      ...(options.rowChecks === 'every' ? [checkRows] : []),
      ...(options.onStatement === undefined ? [] : [tellStatements(options.onStatement)]),
    ],
    typeParsers: [
      { name: 'timestamptz', parse: parseTimestamp },
      { name: 'json', parse: parseStored },
      { name: 'jsonb', parse: parseStored },
      { name: 'int8', parse: Number },
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

/** Aggregated rows wrap what a caller sent in a few more levels. */
const storedDepthLimit = 600;

/**
 * Two settings of a session as start-up parameters, which cost no statement: its time zone, and that
 * nothing is compiled. To compile takes longer than any statement here, and Debian's servers do it
 * wherever the planner takes a large table for costly.
 */
function withSettings(url: string): string {
  const parsed = new URL(url);
  const options = parsed.searchParams.get('options');
  const own = '-c TimeZone=UTC -c jit=off';
  parsed.searchParams.set('options', options === null ? own : `${options} ${own}`);
  return parsed.href;
}

/** Each statement is parsed and planned once a connection: the texts are few and fixed. */
function namePreparedStatements(): Interceptor {
  const names = new Map<string, string>();
  return {
    name: 'prepared-statements',
    transformQuery: (_context, query) => {
      let name = names.get(query.sql);
      if (name === undefined) {
        if (names.size >= preparedStatementLimit) return query;
        name = `s${names.size}`;
        names.set(query.sql, name);
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

/** Lists build a text for each set of filters; past this many the rest are planned each time. */
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
