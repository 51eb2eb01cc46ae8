// Converts a column's declared data type, in any dialect, to a JSON Schema: `numeric(38,0)`,
// `text[]`, `ARRAY<STRUCT<sku STRING, qty INT64>>`, `OBJECT(a NUMBER NOT NULL)`, `timestamp with
// time zone`.

import type { Json, JsonObject } from '../value/json.ts';
import {
  listTypeNames,
  scaledTypeNames,
  schemaOfTypeName,
  spellings,
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
  /** The names of types by their path within this one, with their schemas. */
  readonly named: ReadonlyMap<string, NamedType>;
}

interface NamedType {
  /** What names it, in one of the spellings that mean the same. */
  readonly name: string;
  /** Null for what the schema does not say at all, such as the keys of a map. */
  readonly schema: JsonObject | null;
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
    path: '',
    named: new Map(),
  };
  const schema = readType(reader, 0);
  return { schema, unknownNames: reader.unknownNames, named: reader.named };
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  readonly options: SqlTypeOptions;
  readonly unknownNames: string[];
  path: string;
  readonly named: Map<string, NamedType>;
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
  const start = reader.at++;
  let name = token.text.toLowerCase();
  if (name === 'national' && peek(reader)?.kind === 'word') {
    name = (reader.tokens[reader.at++]?.text ?? '').toLowerCase();
  }
  const unknownBefore = reader.unknownNames.length;
  let schema = readNamedType(reader, name, depth);
  const own = { schema, start, end: reader.at };
  skipSuffixes(reader);
  let path = reader.path;
  while (readArrayMarks(reader)) {
    schema = { type: 'array', items: schema };
    path += '[]';
  }
  skipToSibling(reader);
  // A name that nobody knows is told as such.
  if (reader.unknownNames.length === unknownBefore) {
    addNamed(reader, path, name, nameOfType(reader, own));
  }
  return schema;
}

function addNamed(reader: Reader, path: string, name: string, named: NamedType): void {
  if (wrapperTypeNames.has(name)) {
    if (name === 'nullable') reader.named.set(`${path}?`, { name, schema: null });
    return;
  }
  const isUnread = [keyPath, memberPath].some((part) => path.includes(part));
  reader.named.set(path, isUnread ? { ...named, schema: null } : named);
}

/** No schema says anything of the keys of a map. */
const keyPath = '{key}';
/** Nor of the names of a union's members. */
const memberPath = '|';

/** All that is said of a type, up to where `reader` is; of types that hold others, their own words alone. */
function nameOfType(
  reader: Reader,
  own: { readonly schema: JsonObject; readonly start: number; readonly end: number },
): NamedType {
  const { schema, start, end } = own;
  const held = ['properties', 'items', 'additionalProperties', 'anyOf'];
  const holdsTypes = held.some((key) => Object.hasOwn(schema, key));
  const words = reader.tokens.slice(start, end);
  // Whether it is a list is said by the path; how long it is, as in `float[3]`, is not.
  const suffix = reader.tokens
    .slice(end, reader.at)
    .filter(({ kind, text }) => kind === 'name' || !/^(?:\[|\]|array)$/i.test(text));
  const aside = suffix.findIndex(({ text }) => /^(?:comment|options)$/i.test(text));
  const stated = [
    ...(holdsTypes ? [words[0], ...numbersIn(words)] : words),
    ...(aside < 0 ? suffix : suffix.slice(0, aside)),
  ];
  const name = stated.flatMap((token) => (token === undefined ? [] : spell(token))).join(' ');
  const { type } = schema;
  return {
    name: spellings.reduce((text, [pattern, usual]) => text.replace(pattern, usual), name),
    schema: holdsTypes ? { ...(type === undefined ? {} : { type }) } : schema,
  };
}

/** The numbers of a type that are not those of a type within it: `vector(float, 256)`. */
function numbersIn(words: readonly Token[]): readonly Token[] {
  let open = 0;
  return words.filter((token) => {
    open += nesting(token);
    return open === 1 && token.kind === 'number';
  });
}

function spell({ kind, text }: Token): string {
  return kind === 'word' ? text.toLowerCase() : kind === 'mark' ? text : JSON.stringify(text);
}

function readNamedType(reader: Reader, name: string, depth: number): JsonObject {
  const isOpen = isMark(reader, '(') || isMark(reader, '<');
  if (listTypeNames.has(name)) return readListType(reader, isOpen, depth);
  if (isOpen && structTypeNames.has(name)) return readStructType(reader, depth);
  if (isOpen && name === 'map') return readMapType(reader, depth);
  if (isOpen && wrapperTypeNames.has(name)) return readEnclosed(reader, depth, [''])[0] ?? {};
  if (isOpen && name === 'union') {
    const members = readFields(reader, depth, memberPath).map(([, schema]) => schema);
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
  const [items] = readEnclosed(reader, depth, ['[]']);
  return items === undefined ? { type: 'array' } : { type: 'array', items };
}

function readMapType(reader: Reader, depth: number): JsonObject {
  const [, values] = readEnclosed(reader, depth, [keyPath, '{}']);
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
function readEnclosed(
  reader: Reader,
  depth: number,
  paths: readonly string[],
): readonly JsonObject[] {
  const types: JsonObject[] = [];
  readBracketed(reader, () => {
    if (peek(reader)?.kind === 'number') skipToSibling(reader);
    else types.push(readWithin(reader, depth, paths[types.length] ?? `{${types.length}}`));
  });
  return types;
}

function readWithin(reader: Reader, depth: number, step: string): JsonObject {
  const { path } = reader;
  reader.path += step;
  const schema = readType(reader, depth + 1);
  reader.path = path;
  return schema;
}

/** `a int, b: text`; a field without a name is named by its position, `_1`. */
function readFields(
  reader: Reader,
  depth: number,
  step = '.',
): readonly (readonly [string, JsonObject])[] {
  const fields: (readonly [string, JsonObject])[] = [];
  readBracketed(reader, () => {
    const [first, second] = [peek(reader), reader.tokens[reader.at + 1]];
    const isNamed =
      first?.kind === 'name' ||
      (second !== undefined && (second.kind !== 'mark' || second.text === ':'));
    if (!isNamed || first === undefined || first.kind === 'mark') {
      const name = `_${fields.length + 1}`;
      fields.push([name, readWithin(reader, depth, `${step}${name}`)]);
      return;
    }
    reader.at++;
    if (isMark(reader, ':')) reader.at++;
    fields.push([first.text, readWithin(reader, depth, `${step}${first.text}`)]);
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

/** The schema for values that may also be null. One that accepts anything stays as it is. */
export function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema;
  const hasNull = !Array.isArray(values) || values.includes(null);
  return {
    ...schema,
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(hasNull ? {} : { enum: [...values, null] }),
    ...(Array.isArray(anyOf) ? { anyOf: [...anyOf, { type: 'null' }] } : {}),
  };
}
