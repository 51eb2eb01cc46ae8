// Prepared statements that are sent in one write and answered one after the other. Postgres
// describes a statement's columns once per connection; after that only rows are requested.

import type { Connection, Submittable } from 'pg';
import { encodeStatements, type Sent, type SentValue } from './frontend-messages.ts';

export interface Asked {
  /** Empty for a statement that is parsed each time. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly SentValue[];
}

/** The result of the last statement; the results of the others are not read. */
export interface Answer {
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number;
}

export type Parse = (text: string) => unknown;

interface Column {
  readonly name: string;
  readonly parse: Parse;
}

/**
 * The statements of one connection, by name. In doubt means sent without a good answer: whether
 * Postgres has it, and with which columns, is unknown.
 */
export type Known = Map<string, readonly Column[] | 'in_doubt'>;

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

const noColumns: readonly Column[] = [];
/** As in `INSERT 0 3` and `SELECT 1`. */
const countPattern = /\d+$/;

/** Submitted to pg's client, which passes each message of the answer to it. */
export class PreparedBatch implements Submittable {
  readonly #asked: readonly Asked[];
  readonly #known: Known;
  readonly #parserOf: (typeId: number) => Parse;
  readonly #done: (answer: Answer) => void;
  readonly #fail: (error: Error) => void;
  readonly #bytes: Buffer;
  readonly #rows: Record<string, unknown>[] = [];
  /** The index of the statement that is being answered. */
  #at = 0;
  #columns: readonly Column[];
  #rowCount = 0;
  #unreadable: Error | null = null;

  constructor(
    asked: readonly Asked[],
    known: Known,
    parserOf: (typeId: number) => Parse,
    done: (answer: Answer) => void,
    fail: (error: Error) => void,
  ) {
    this.#asked = asked;
    this.#known = known;
    this.#parserOf = parserOf;
    this.#done = done;
    this.#fail = fail;
    // Before pg begins with it, so an exception here leaves the connection unchanged.
    this.#bytes = encodeStatements(withStates(asked, known));
    this.#columns = this.#columnsOfNext();
    for (const { name } of asked) if (name !== '' && !known.has(name)) known.set(name, 'in_doubt');
  }

  submit({ stream }: Connection): void {
    if (stream.writable) stream.write(this.#bytes);
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#parserOf(dataTypeID),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#at < this.#asked.length - 1 || this.#unreadable !== null) return;
    try {
      this.#rows.push(rowOf(this.#columns, fields));
    } catch (error) {
      this.#unreadable = error instanceof Error ? error : new Error(String(error));
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const asked = this.#asked[this.#at];
    if (asked !== undefined && asked.name !== '') this.#known.set(asked.name, this.#columns);
    this.#at++;
    this.#columns = this.#columnsOfNext();
    this.#rowCount = Number(countPattern.exec(text)?.[0] ?? 0);
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handleReadyForQuery(): void {
    if (this.#unreadable !== null) this.#fail(this.#unreadable);
    else this.#done({ rows: this.#rows, rowCount: this.#rowCount });
  }

  handleError(error: Error): void {
    const asked = this.#asked[this.#at];
    if (asked !== undefined && asked.name !== '') this.#known.set(asked.name, 'in_doubt');
    this.#fail(error);
  }

  #columnsOfNext(): readonly Column[] {
    const known = this.#known.get(this.#asked[this.#at]?.name ?? '');
    return known === undefined || known === 'in_doubt' ? noColumns : known;
  }
}

/** A statement that occurs twice in one write is parsed for the first occurrence. */
function withStates(asked: readonly Asked[], known: Known): readonly Sent[] {
  const sent = new Set<string>();
  return asked.map((each) => {
    if (each.name === '') return { ...each, state: 'new' };
    const found = sent.has(each.name) ? noColumns : known.get(each.name);
    sent.add(each.name);
    if (found === undefined) return { ...each, state: 'new' };
    return { ...each, state: found === 'in_doubt' ? found : 'known' };
  });
}

function rowOf(
  columns: readonly Column[],
  fields: readonly (string | null)[],
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  // An indexed loop, because it is the fastest and each value of each row passes here.
  for (let place = 0; place < columns.length; place++) {
    const column = columns[place];
    const text = fields[place] ?? null;
    if (column !== undefined) row[column.name] = text === null ? null : column.parse(text);
  }
  return row;
}
