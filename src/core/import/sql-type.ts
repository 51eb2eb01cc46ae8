// Converts a column's declared data type, in any dialect, to a JSON Schema: `numeric(38,0)`,
// `text[]`, `ARRAY<STRUCT<sku STRING, qty INT64>>`, `OBJECT(a NUMBER NOT NULL)`, `timestamp with
// time zone`.

import type { Json, JsonObject } from '../value/json.ts';
import {
  listTypeNames,
  scaledTypeNames,
  schemaOfTypeName,
  structTypeNames,
  wrapperTypeNames,
} from './sql-type-names.ts';

interface SqlTypeOptions {
  /**
   * Treats `numeric(38,0)` as an integer. If off, parameters are ignored, as in the table of the
   * specification.
   */
  readonly isIntegerAtScale0: boolean;
}

export interface SqlTypeSchema {
  readonly schema: JsonObject;
  /** Names that are unknown in every supported dialect; their schema accepts anything. */
  readonly unknownNames: readonly string[];
}

/** A schema may nest 64 levels, and each level of a type takes one or two. */
const maxTypeDepth = 30;
/** The widest real struct seen has some 2,000 fields of 20 characters. */
const maxTypeLength = 100_000;

/**
 * @example schemaOfSqlType('ARRAY<INT64>', { isIntegerAtScale0: false }).schema
 * // { type: 'array', items: { type: 'integer' } }
 */
export function schemaOfSqlType(text: string, options: SqlTypeOptions): SqlTypeSchema {
  const reader: Reader = {
    tokens: text.length > maxTypeLength ? [] : tokenize(text),
    at: 0,
    options,
    unknownNames: [],
  };
  const schema = readType(reader, 0);
  return { schema, unknownNames: reader.unknownNames };
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  readonly options: SqlTypeOptions;
  readonly unknownNames: string[];
}

interface Token {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'mark';
  readonly text: string;
}

// A word, a quoted name ("a", `a`), a string ('a', with '' inside), a number, or a punctuation
// mark.
const tokenPattern =
  /([A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*)|"((?:[^"]|"")*)"|`([^`]*)`|'((?:[^']|'')*)'|(\d+(?:\.\d+)?)|([^\s])/g;

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(tokenPattern)) {
    const [, word, quoted, ticked, literal, digits, mark] = match;
    if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (quoted !== undefined)
      tokens.push({ kind: 'name', text: quoted.replaceAll('""', '"') });
    else if (ticked !== undefined) tokens.push({ kind: 'name', text: ticked });
    else if (literal !== undefined)
      tokens.push({ kind: 'text', text: literal.replaceAll("''", "'") });
    else if (digits !== undefined) tokens.push({ kind: 'number', text: digits });
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
  }
  return tokens;
}

function readType(reader: Reader, depth: number): JsonObject {
  const token = reader.tokens[reader.at];
  if (token === undefined || token.kind === 'mark' || depth > maxTypeDepth) {
    reader.unknownNames.push(token === undefined ? '(nothing)' : token.text);
    skipToSibling(reader);
    return {};
  }
  reader.at++;
  let name = token.text.toLowerCase();
  if (name === 'national' && peek(reader)?.kind === 'word') {
    name = (reader.tokens[reader.at++]?.text ?? '').toLowerCase();
  }
  let schema = readNamedType(reader, name, depth);
  skipSuffixes(reader);
  while (readArrayMarks(reader)) schema = { type: 'array', items: schema };
  skipToSibling(reader);
  return schema;
}

function readNamedType(reader: Reader, name: string, depth: number): JsonObject {
  const isOpen = isMark(reader, '(') || isMark(reader, '<');
  if (listTypeNames.has(name)) return readListType(reader, isOpen, depth);
  if (isOpen && structTypeNames.has(name)) return readStructType(reader, depth);
  if (isOpen && name === 'map') return readMapType(reader, depth);
  if (isOpen && wrapperTypeNames.has(name)) return readEnclosed(reader, depth)[0] ?? {};
  if (isOpen && name === 'union') {
    const members = readFields(reader, depth).map(([, schema]) => schema);
    return members.length === 0 ? {} : { anyOf: members };
  }
  if (isOpen && /^enum(8|16)?$/.test(name)) return readEnumType(reader);
  const parameters = isOpen ? readParameters(reader) : [];
  const known = schemaOfTypeName.get(name);
  if (known === undefined) {
    reader.unknownNames.push(name);
    return {};
  }
  const isInteger = reader.options.isIntegerAtScale0 && hasScale0(name, parameters);
  return isInteger ? { type: 'integer' } : known;
}

function hasScale0(name: string, parameters: readonly string[]): boolean {
  if (!scaledTypeNames.has(name) || parameters.length === 0) return false;
  const scale = parameters[1] ?? '0';
  return Number(scale) === 0;
}

function readListType(reader: Reader, isOpen: boolean, depth: number): JsonObject {
  if (!isOpen) return { type: 'array' };
  const [items] = readEnclosed(reader, depth);
  return items === undefined ? { type: 'array' } : { type: 'array', items };
}

function readMapType(reader: Reader, depth: number): JsonObject {
  const [, values] = readEnclosed(reader, depth);
  return values === undefined
    ? { type: 'object' }
    : { type: 'object', additionalProperties: values };
}

function readStructType(reader: Reader, depth: number): JsonObject {
  const fields = readFields(reader, depth);
  if (fields.length === 0) return { type: 'object' };
  return { type: 'object', properties: Object.fromEntries<Json>(fields) };
}

/** The types between brackets; a number there (`vector(float, 256)`) is not a type. */
function readEnclosed(reader: Reader, depth: number): readonly JsonObject[] {
  const types: JsonObject[] = [];
  readBracketed(reader, () => {
    if (peek(reader)?.kind === 'number') skipToSibling(reader);
    else types.push(readType(reader, depth + 1));
  });
  return types;
}

/** `a int, b: text`; a field without a name is named by its position, `_1`. */
function readFields(reader: Reader, depth: number): readonly (readonly [string, JsonObject])[] {
  const fields: (readonly [string, JsonObject])[] = [];
  readBracketed(reader, () => {
    const [first, second] = [peek(reader), reader.tokens[reader.at + 1]];
    const isNamed =
      first?.kind === 'name' ||
      (second !== undefined && (second.kind !== 'mark' || second.text === ':'));
    if (!isNamed || first === undefined || first.kind === 'mark') {
      fields.push([`_${fields.length + 1}`, readType(reader, depth + 1)]);
      return;
    }
    reader.at++;
    if (isMark(reader, ':')) reader.at++;
    fields.push([first.text, readType(reader, depth + 1)]);
  });
  return fields;
}

function readEnumType(reader: Reader): JsonObject {
  const values = readTokens(reader).filter((token) => token.kind === 'text');
  const distinct = [...new Set(values.map((token) => token.text))];
  return distinct.length === 0 ? { type: 'string' } : { type: 'string', enum: distinct };
}

function readParameters(reader: Reader): readonly string[] {
  return readTokens(reader)
    .filter((token) => token.kind === 'number')
    .map((token) => token.text);
}

/** All tokens up to the matching closing bracket. */
function readTokens(reader: Reader): readonly Token[] {
  const start = reader.at + 1;
  reader.at++;
  let open = 1;
  while (reader.at < reader.tokens.length && open > 0) {
    open += nesting(reader.tokens[reader.at]);
    reader.at++;
  }
  return reader.tokens.slice(start, open === 0 ? reader.at - 1 : reader.at);
}

function readBracketed(reader: Reader, readOne: () => void): void {
  reader.at++;
  while (reader.at < reader.tokens.length) {
    if (isMark(reader, ')') || isMark(reader, '>')) {
      reader.at++;
      return;
    }
    const before = reader.at;
    if (isMark(reader, ',')) reader.at++;
    else readOne();
    if (reader.at === before) reader.at++;
  }
}

/** `[]`, `[3]`, and Postgres' `array` after the type's name. */
function readArrayMarks(reader: Reader): boolean {
  const token = peek(reader);
  if (token?.kind === 'word' && token.text.toLowerCase() === 'array') {
    reader.at++;
    return true;
  }
  if (!isMark(reader, '[')) return false;
  while (reader.at < reader.tokens.length && !isMark(reader, ']')) reader.at++;
  reader.at++;
  return true;
}

/** `varying(255)`, `with time zone`, `NOT NULL`: words that do not change the schema. */
function skipSuffixes(reader: Reader): void {
  for (;;) {
    const token = peek(reader);
    if (token?.kind === 'word' && token.text.toLowerCase() !== 'array') reader.at++;
    else if (isMark(reader, '(')) readTokens(reader);
    else return;
  }
}

/** Skips the rest of this type: `COMMENT 'x'`, `OPTIONS (...)`, and anything unknown. */
function skipToSibling(reader: Reader): void {
  while (reader.at < reader.tokens.length) {
    const change = nesting(reader.tokens[reader.at]);
    if (change < 0 || isMark(reader, ',')) return;
    if (change > 0) readTokens(reader);
    else reader.at++;
  }
}

function nesting(token: Token | undefined): -1 | 0 | 1 {
  if (token?.kind !== 'mark') return 0;
  if (token.text === '(' || token.text === '<') return 1;
  return token.text === ')' || token.text === '>' ? -1 : 0;
}

function peek(reader: Reader): Token | undefined {
  return reader.tokens[reader.at];
}

function isMark(reader: Reader, text: string): boolean {
  const token = peek(reader);
  return token?.kind === 'mark' && token.text === text;
}
