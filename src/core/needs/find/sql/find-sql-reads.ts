// Which columns the statements of a file read, from the trees that a parser has made of them.
// What is not understood is never left out: it reads everything, or is reported as not read.

import { stepText } from '../../../value/json-path.ts';
import type { FoundReads } from '../found-reads.ts';
import { addQueries, isQuery, nothingAround, readChange, readQuery } from './read-query.ts';
import { type Reading, relationOf } from './reading.ts';
import { type KnownColumns, readEverything } from './sources.ts';
import {
  expressionOf,
  isColumn,
  isNode,
  isStar,
  isTable,
  nodeAt,
  nodesBelow,
  type SqlNode,
} from './sql-tree.ts';

export interface ParsedSql {
  /** The trees of the statements. */
  readonly statements: readonly unknown[];
  /** The words of the text that may name a column: the trees must have them all. */
  readonly words: readonly string[];
}

export type ParseSql = (
  text: string,
) =>
  | { readonly ok: true; readonly sql: ParsedSql }
  | { readonly ok: false; readonly message: string };

interface SqlOptions {
  /** As the parser names it, such as `postgresql`. */
  readonly dialect: string;
  readonly columnsOf?: (name: readonly string[]) => KnownColumns | null;
}

/**
 * @example findSqlReads({ statements: trees of 'select id from orders' }, { dialect: 'duckdb' }).reads
 * // [{ name: ['orders'], fields: ['$.id'], reason: null }]
 */
export function findSqlReads({ statements, words }: ParsedSql, options: SqlOptions): FoundReads {
  const reading: Reading = {
    dialect: options.dialect,
    columnsOf: options.columnsOf ?? (() => null),
    ...{ relations: new Map(), touched: new Set(), named: new Map(), understood: new Set() },
    ...{ doubts: new Map(), unread: new Set() },
  };
  try {
    for (const statement of statements) readStatement(reading, statement);
  } catch (error) {
    // The stack overflows on extreme nesting.
    if (!(error instanceof RangeError)) throw error;
    reading.unread.add('it is nested too deeply');
  }
  const lost = findLostWord(statements, words);
  if (lost !== null) reading.unread.add(`the parser did not keep the word ${lost}`);
  return conclude(reading);
}

function readStatement(reading: Reading, statement: unknown): void {
  reading.touched.clear();
  reading.named.clear();
  const { kind = 'nothing', body = {} } = expressionOf(statement) ?? {};
  if (isQuiet(kind, body)) return;
  if (isQuery(statement)) {
    readEverything(readQuery(reading, statement, nothingAround), 'select *');
  } else if (kind === 'create_table' || kind === 'create_view') {
    readCreation(reading, body);
  } else if (['insert', 'update', 'delete', 'merge'].includes(kind)) {
    readChange(reading, body, nothingAround);
  } else if (kind === 'describe' && isQuery(body.target)) {
    readEverything(readQuery(reading, body.target, nothingAround), 'select *');
  } else {
    reading.unread.add(`a statement of the kind "${kind}" is not understood`);
  }
  readTheRest(reading, body);
}

/** Statements that read no column. */
const quietKinds = new Set([
  ...['set_statement', 'use', 'transaction', 'commit', 'rollback', 'comment', 'grant', 'revoke'],
  ...['truncate', 'analyze', 'create_schema', 'create_database', 'show', 'declare'],
]);

function isQuiet(kind: string, body: SqlNode): boolean {
  if (!quietKinds.has(kind) && !kind.startsWith('drop_')) return false;
  for (const [key, node] of nodesBelow(body)) {
    if (key === 'select' || key === 'command') return false;
    // The query of a cursor is kept as a text.
    if (Object.values(node).some((each) => typeof each === 'string' && /\bselect\b/i.test(each))) {
      return false;
    }
  }
  return true;
}

function readCreation(reading: Reading, body: SqlNode): void {
  const around = addQueries(reading, nodeAt(body, 'with_cte'), nothingAround);
  for (const query of [body.as_select, body.query]) {
    if (isNode(query)) readEverything(readQuery(reading, query, around), 'select *');
  }
  const original = nodeAt(body, 'clone_source');
  if (original !== null) readEverything(relationOf(reading, original), 'the relation is cloned');
}

/** What no step above has understood, such as the columns of a clause that is new to them. */
function readTheRest(reading: Reading, body: SqlNode): void {
  let isPartial = false;
  for (const [key, node] of nodesBelow(body)) {
    if (reading.understood.has(node)) continue;
    if (isTable(key, node)) {
      readEverything(relationOf(reading, node), 'it stands in a part that is not understood');
    }
    isPartial ||= isColumn(key, node) || isStar(key, node);
    if (key === 'raw' || key === 'command') reading.unread.add('a part of it is not parsed');
  }
  if (!isPartial) return;
  for (const relation of reading.touched) {
    readEverything(relation, 'a part of the statement is not understood');
  }
}

/** A word of the text that no tree has: the parser has left out what it stands in. */
function findLostWord(statements: readonly unknown[], words: readonly string[]): string | null {
  const kept = new Set<string>();
  for (const [key, node] of nodesBelow(statements)) {
    for (const word of [key, ...key.split('_')]) kept.add(word.toLowerCase());
    for (const value of Object.values(node)) {
      for (const each of Array.isArray(value) ? value.flat(2) : [value]) {
        if (typeof each !== 'string') continue;
        kept.add(each.toLowerCase());
        // A path such as `a.b` is one text.
        for (const word of each.toLowerCase().split(/[^\w$]+/)) kept.add(word);
      }
    }
  }
  return words.find((word) => !kept.has(word.toLowerCase())) ?? null;
}

function conclude({ relations, doubts, unread }: Reading): FoundReads {
  const reads = [...relations.values()]
    .map(({ name, columns, everything }) => ({
      name,
      fields: everything === null ? [...columns.values()].sort().map(fieldOf) : null,
      reason: everything,
    }))
    .sort((a, b) => (a.name.join('.') < b.name.join('.') ? -1 : 1));
  return {
    reads,
    doubts: [...doubts].map(([column, owners]) => {
      const names = [...owners].map(({ name }) => name.join('.')).sort();
      return `${column} may be a column of ${names.join(' or ')}, so it counts for each`;
    }),
    unread: [...unread],
  };
}

function fieldOf(column: string): string {
  return `$${stepText(column)}`;
}
