// slonik's driver: sends prepared statements through pg in as few writes as possible. The beginning
// of a transaction, and writes and locks whose result nobody reads, wait for the next statement of
// the transaction and are sent with it, in order; so is the commit. After a failed statement
// Postgres executes none of those sent with it.

import { type Client, types } from 'pg';
import { createDriverFactory, type DriverFactory, sql } from 'slonik';
import { slonikErrorOf } from './driver-errors.ts';
import type { SentValue } from './frontend-messages.ts';
import { waitAtMost } from './patience.ts';
import {
  type Answer,
  type Asked,
  type Known,
  type Parse,
  PreparedBatch,
} from './prepared-batch.ts';
import { nothingRow } from './rows.ts';

interface DriverOptions {
  /** Opens one connection. */
  readonly connect: () => Promise<Client>;
  /**
   * Watches the address that connections are opened with, until the function that it returns is
   * called.
   */
  readonly watch: (onChange: () => void) => () => void;
  /** The parser of a value's text, by the id of its type. */
  readonly parsers: ReadonlyMap<number, Parse>;
  /**
   * A connection without an answer for this long is closed; otherwise it would stay in the pool for
   * ever.
   */
  readonly answerPatienceMs: number;
  /**
   * Whether a connection pooler may give each transaction another session: then no statement is
   * prepared for longer.
   */
  readonly isPooled: boolean;
  /** Statements that set what the session does not have, sent first in every transaction. */
  readonly settings: SettingStatements;
  /** Called with the seconds that each statement took. */
  readonly observeStatement: (seconds: number) => void;
}

interface SettingStatements {
  /** For a read that is a transaction of its own. */
  readonly ofReads: string | null;
  readonly ofOthers: string | null;
}

/** The prefix of prepared statements that may wait for the next one. */
export const patient = 'w';

/** The names of prepared reads begin with this. A read that is not prepared has it as its whole name. */
export const reading = 'r';

/** More than this is sent at once, so that Postgres can start to work on it. */
const heldLimit = 64 * 1024;

const begin: Asked = { name: 'begin', text: 'START TRANSACTION', values: [] };

/** As the first statement of a transaction: all its reads see the same moment, and wait for locks as other reads do. */
export const readOneMoment = sql.type(
  nothingRow,
)`set transaction isolation level repeatable read, read only`;
const commit: Asked = { name: 'commit', text: 'COMMIT', values: [] };

/** Not a statement: the pool asks this at the end of each use, and closes what fails it. */
export const endOfUse = 'end of use';

class Outdated extends Error {
  override readonly message = 'The address of the database changed.';
}

const noAnswer: Answer = { rows: [], rowCount: 0 };

export function createDriver(options: DriverOptions): DriverFactory {
  const { connect, watch, parsers, answerPatienceMs, observeStatement } = options;
  const retirements = new Set<() => void>();
  let stopWatching: (() => void) | null = null;
  const forget = (retire: () => void) => {
    retirements.delete(retire);
    if (retirements.size > 0) return;
    stopWatching?.();
    stopWatching = null;
  };
  const parserOf = (typeId: number): Parse =>
    parsers.get(typeId) ?? types.getTypeParser(typeId, 'text');
  return createDriverFactory(async () => ({
    createPoolClient: async ({ clientEventEmitter }) => {
      let client: Client | null = null;
      let ask: Ask = () => Promise.reject(new Error('The connection is not open yet.'));
      let isInUse = true;
      let isOutdated = false;
      /** Closes the connection, unless somebody uses it: then it ends with that use. */
      const retire = () => {
        isOutdated = true;
        if (!isInUse) clientEventEmitter.emit('error', new Outdated());
      };
      clientEventEmitter.on('acquire', () => {
        isInUse = true;
      });
      clientEventEmitter.on('release', () => {
        isInUse = false;
      });
      return {
        connect: async () => {
          retirements.add(retire);
          stopWatching ??= watch(() => {
            for (const each of retirements) each();
          });
          client = await connect().catch((error: unknown) => {
            forget(retire);
            throw error;
          });
          client.once('end', () => forget(retire));
          client.on('error', (error) => {
            // The pool already gave up this hung connection, so it is not called again.
            if (clientEventEmitter.listenerCount('error') === 0) return;
            clientEventEmitter.emit('error', slonikErrorOf(error));
          });
          ask = conversation(client, parserOf, options);
        },
        end: async () => {
          // It may lead nowhere, and its end never come: nobody hears it any more.
          forget(retire);
          await client?.end();
        },
        query: async (text, values, options) => {
          if (text === endOfUse) {
            if (isOutdated) throw new Outdated();
            return { command: 'SELECT', fields: [], ...noAnswer };
          }
          // Pending statements fail as if the connection had been cut.
          const stopWaiting = waitAtMost(answerPatienceMs, () => void client?.end());
          const startedAt = performance.now();
          try {
            const { rows, rowCount } = await ask(text, values ?? [], options?.name);
            return { command: 'SELECT', fields: [], rows, rowCount };
          } catch (error) {
            if (!(error instanceof Error)) throw error;
            // The stack shows the place of the query, not of reading its answer.
            Error.captureStackTrace(error);
            throw slonikErrorOf(error, text);
          } finally {
            stopWaiting();
            observeStatement((performance.now() - startedAt) / 1000);
          }
        },
        stream: () => {
          throw new Error('This driver streams no rows: ask for a page after the other.');
        },
      };
    },
  }));
}

type Ask = (text: string, values: readonly unknown[], name: string | undefined) => Promise<Answer>;

/** One statement after the other, as slonik asks them of a connection. */
function conversation(
  client: Client,
  parserOf: (typeId: number) => Parse,
  { isPooled, settings }: Pick<DriverOptions, 'isPooled' | 'settings'>,
): Ask {
  const known: Known = new Map();
  let isInTransaction = false;
  let held: readonly Asked[] = [];

  const send = (last: readonly Asked[]) => {
    const asked = [...held, ...last];
    held = [];
    return new Promise<Answer>((done, fail) => {
      client.query(new PreparedBatch(asked, known, parserOf, done, fail));
    });
  };
  const hold = (asked: Asked) => {
    held = [...held, asked];
    return noAnswer;
  };
  const isNotBegun = () => held[0]?.text === begin.text;
  const askByPg: Ask = async (text, values, name) => {
    const { rows, rowCount } = await client.query<Record<string, unknown>>({
      text,
      values: [...values],
      ...(name !== undefined && !isPooled && { name: `pg_${name}` }),
      types: { getTypeParser: parserOf as typeof types.getTypeParser },
    });
    return { rows, rowCount: rowCount ?? 0 };
  };
  const own = (asked: Asked): Asked => (isPooled ? { ...asked, name: '' } : asked);
  const opening = (text: string | null) =>
    text === null ? [] : [own({ name: 'settings', text, values: [] })];
  const openingOfReads = opening(settings.ofReads);
  const openingOfOthers = opening(settings.ofOthers);

  return async (text, values, nameOrMark) => {
    const isRead = nameOrMark?.startsWith(reading) === true;
    const name = nameOrMark === reading ? undefined : nameOrMark;
    const opening = isRead ? openingOfReads : openingOfOthers;
    if (text === begin.text) {
      isInTransaction = true;
      held = [own(begin), ...openingOfOthers];
      return noAnswer;
    }
    if (text === readOneMoment.sql && isNotBegun()) {
      // Postgres accepts it before any other statement only.
      held = [own(begin), own({ name: 'one moment', text, values: [] }), ...openingOfReads];
      return noAnswer;
    }
    if (text === commit.text) {
      isInTransaction = false;
      const isEmpty = isNotBegun() && held.length === 1 + openingOfOthers.length;
      if (!isEmpty) return send([own(commit)]);
      held = [];
      return noAnswer;
    }
    if (text === 'ROLLBACK') {
      const isUnknown = isNotBegun();
      isInTransaction = false;
      held = [];
      if (!isUnknown) await client.query(text);
      return noAnswer;
    }
    if ((isPooled || name !== undefined) && values.every(isPlain)) {
      const asked = own({ name: name ?? '', text, values });
      const isPatient = name?.startsWith(patient) === true;
      const mayWait = isInTransaction && isPatient && sizeOf(values) < heldLimit;
      if (mayWait) return hold(asked);
      // Statements that are sent together are one transaction, so the settings hold for this one.
      return send(isInTransaction ? [asked] : [...opening, asked]);
    }
    if (held.length > 0) await send([]);
    // Lists as pg writes them, by names of its own.
    if (isInTransaction || opening.length === 0) return askByPg(text, values, name);
    await send([own(begin), ...opening]);
    try {
      const answer = await askByPg(text, values, name);
      await send([own(commit)]);
      return answer;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  };
}

function isPlain(value: unknown): value is SentValue {
  return typeof value !== 'object' || value === null;
}

function sizeOf(values: readonly SentValue[]): number {
  let size = 0;
  for (const value of values) if (typeof value === 'string') size += value.length;
  return size;
}
