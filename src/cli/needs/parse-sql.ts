// Parses SQL, with the parser that is loaded by `concordat needs` alone.

import type { SqlToken } from '../../core/needs/find/dbt/branch-words.ts';
import type { ParsedSql } from '../../core/needs/find/sql/find-sql-reads.ts';
import { type SqlDialect, sqlDialects } from './sql-dialects.ts';

/** A query of this length is parsed in some seconds; generated data is not SQL to read. */
const maxLength = 1024 * 1024;

type Parsed =
  | { readonly ok: true; readonly sql: ParsedSql }
  | {
      readonly ok: false;
      readonly message: string;
      /** What stands where a relation does, although the text is not understood. */
      readonly relations: readonly (readonly string[])[];
    };

type SqlParser = (text: string) => Parsed;

/** @example (await openSqlParser('postgres'))('select id from orders').ok // true */
export async function openSqlParser(dialect: SqlDialect): Promise<SqlParser> {
  const { Dialect, parse, tokenize } = await import('@polyglot-sql/sdk');
  const meant = Object.values(Dialect).find((each) => each === sqlDialects[dialect]);
  const tokensOf = (text: string) => {
    const read = tokenize(text, meant);
    return read.success ? (read.tokens ?? []) : null;
  };
  return (text) => {
    if (text.length > maxLength) {
      return unreadable(`It has more than ${maxLength} characters. Split it.`, []);
    }
    try {
      const tokens = tokensOf(text);
      if (/\{\{|\{%/.test(text)) {
        return unreadable('It is a template. Name the file that it is compiled to.', tokens);
      }
      const parsed = parse(text, meant);
      if (!parsed.success)
        return unreadable(`The parser does not accept it. ${parsed.error}`, tokens);
      if (tokens === null) return unreadable('Its words could not be told apart.', null);
      return { ok: true, sql: { statements: parsed.ast, words: wordsOf(tokens) } };
    } catch (error) {
      // The parser is WebAssembly. It throws if it runs out of memory.
      const message = error instanceof Error ? error.message : String(error);
      return unreadable(`The parser failed on it: ${message}`, []);
    }
  };
}

/**
 * The words and signs of a part of SQL; null if it cannot be split.
 *
 * @example (await openSqlTokens('postgres'))('where a') // [{ kind: 'WHERE', text: 'where' }, { kind: 'VAR', text: 'a' }]
 */
export async function openSqlTokens(
  dialect: SqlDialect,
): Promise<(sql: string) => readonly SqlToken[] | null> {
  const { Dialect, tokenize } = await import('@polyglot-sql/sdk');
  const meant = Object.values(Dialect).find((each) => each === sqlDialects[dialect]);
  return (sql) => {
    const read = tokenize(sql, meant);
    if (!read.success) return null;
    return (read.tokens ?? []).map((token) => ({ kind: kindOf(token), text: textOf(token) }));
  };
}

function unreadable(message: string, tokens: readonly object[] | null): Parsed {
  return { ok: false, message, relations: relationsIn(tokens ?? []) };
}

/** The names after `from` and `join`. */
function relationsIn(tokens: readonly object[]): readonly (readonly string[])[] {
  const found: string[][] = [];
  tokens.forEach((token, index) => {
    if (!['FROM', 'JOIN'].includes(kindOf(token))) return;
    const name: string[] = [];
    for (let at = index + 1; isName(tokens[at]); at += 2) {
      name.push(textOf(tokens[at]));
      if (kindOf(tokens[at + 1]) !== 'DOT') break;
    }
    if (name.length > 0) found.push(name);
  });
  return found;
}

/** After these comes a type or another name for what is before them. */
const beforeOtherNames = new Set(['AS', 'D_COLON', 'LT', 'TIME', 'VAR', 'QUOTED_IDENTIFIER']);
/** Parts of operators and types. */
const operatorWords = new Set(['explain', 'at', 'without', 'zone', 'varying', 'precision']);

/** The words that may be columns or relations. */
function wordsOf(tokens: readonly object[]): readonly string[] {
  const kinds = tokens.map(kindOf);
  return tokens.flatMap((token, index) => {
    const text = textOf(token);
    const isCalled = kinds[index + 1] === 'L_PAREN';
    const isOther = beforeOtherNames.has(kinds[index - 1] ?? '');
    const isOperator = operatorWords.has(text.toLowerCase());
    return !isName(token) || isCalled || isOther || isOperator ? [] : [text];
  });
}

function isName(token: object | undefined): boolean {
  return ['VAR', 'QUOTED_IDENTIFIER'].includes(kindOf(token));
}

function textOf(token: object | undefined): string {
  return token !== undefined && 'text' in token ? String(token.text) : '';
}

/** The package's types say `tokenType`, and its tokens `token_type`. */
function kindOf(token: object | undefined): string {
  if (token === undefined) return '';
  if ('token_type' in token) return String(token.token_type);
  return 'tokenType' in token ? String(token.tokenType) : '';
}
