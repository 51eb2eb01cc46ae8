// A format or a type that refuses what stands next to it: `{ "format": "time", "pattern": "^\\d\\d:\\d\\d$" }` takes no text at all, because
// a time has seconds and a zone, and `{ "type": "string", "enum": [1, 2] }` takes nothing. Who writes that has values all the same.

import type { Dialect } from '../../schema/dialects.ts';
import { assertsText, type Format, findFormat } from '../../schema/formats/formats.ts';
import { defaultDialect } from '../../schema/keywords.ts';
import { areDisjoint, type Language, textsOfLength } from '../../schema/patterns/language.ts';
import { compilePattern } from '../../schema/patterns/pattern.ts';
import type { TooLarge } from '../../schema/patterns/steps.ts';
import { dialectOfDocument } from '../../schema/places.ts';
import { isJsonObject, type Json, type JsonObject, searchSchemas } from '../../value/json.ts';

/**
 * The schema without such keywords. The same object if it has none. What looks like a
 * schema in data is changed as well: that only matters for data which the other reading compares.
 *
 * @example withoutUnfitKeywords({ format: 'time', enum: ['10:00'] }) // { enum: ['10:00'] }
 */
export function withoutUnfitKeywords(schema: Json, stated: Dialect = defaultDialect): Json {
  const dialect = dialectOfDocument(schema, stated);
  const { hasUnfit, read: known } = knownOf(dialect);
  if (!hasUnfit(schema)) return schema;
  const read = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value;
    const before = known.get(value);
    if (before !== undefined) return before;
    const made = Array.isArray(value) ? kept(value, value.map(read)) : readObject(value);
    known.set(value, made);
    return made;
  };
  const readObject = (value: Json): Json => {
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => [key, read(member)] as const);
    const unfit = unfitKeywords(value, dialect);
    if (unfit.length === 0 && members.every(([key, member]) => value[key] === member)) return value;
    return Object.fromEntries(members.filter(([key]) => !unfit.includes(key)));
  };
  return read(schema);
}

interface Known {
  readonly hasUnfit: (schema: Json) => boolean;
  readonly read: WeakMap<object, Json>;
}

/** The operations of one document share their definitions. */
const knownIn = new Map<Dialect, Known>();

function knownOf(dialect: Dialect): Known {
  const known = knownIn.get(dialect) ?? {
    hasUnfit: searchSchemas((schema) => unfitKeywords(schema, dialect).length > 0),
    read: new WeakMap(),
  };
  knownIn.set(dialect, known);
  return known;
}

function kept(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  return after.some((each, index) => each !== before[index]) ? after : before;
}

/** A pattern that needs more is taken to fit. */
const mostSteps = 100_000;

function unfitKeywords(schema: JsonObject, dialect: Dialect): readonly string[] {
  const { enum: listed, const: only, format } = schema;
  if (listed === undefined && only === undefined && format === undefined) return [];
  const values = [...(Array.isArray(listed) ? (listed as readonly Json[]) : []), only ?? null];
  return [
    ...(hasUnfitFormat(schema, values, dialect) ? ['format'] : []),
    ...(hasUnfitType(schema, values) ? ['type'] : []),
  ];
}

/** Null is often listed where it is not allowed. */
function hasUnfitType({ type }: JsonObject, values: readonly Json[]): boolean {
  const types = [type ?? []].flat();
  if (types.length === 0 || !types.every((each) => typeNames.has(String(each)))) return false;
  return values.some(
    (value) => value !== null && !typesOf(value).some((each) => types.includes(each)),
  );
}

const typeNames = new Set('string number integer boolean array object null'.split(' '));

function typesOf(value: Json): readonly string[] {
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'object') return isJsonObject(value) ? ['object'] : ['number', 'integer'];
  if (typeof value !== 'number') return [typeof value];
  return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
}

function hasUnfitFormat(schema: JsonObject, values: readonly Json[], dialect: Dialect): boolean {
  const { format: name, pattern, minLength, maxLength } = schema;
  if (typeof name !== 'string' || !assertsText(name, dialect)) return false;
  const format = findFormat(name);
  if (format === null) return false;
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.some((text) => format.isMember(text) === false)) return true;
  const steps = { left: mostSteps };
  const isApart = (language: Language | TooLarge) =>
    language !== 'too_large' && areApart(format, language);
  if (typeof pattern === 'string') {
    const compiled = compilePattern(pattern, steps);
    if (compiled.kind === 'language' && isApart(compiled.language)) return true;
    if (compiled.kind === 'opaque' && isApart(compiled.over)) return true;
  }
  const [least, most] = [minLength ?? 0, maxLength ?? Number.POSITIVE_INFINITY];
  if (typeof least !== 'number' || typeof most !== 'number') return false;
  if (least === 0 && most === Number.POSITIVE_INFINITY) return false;
  return isApart(textsOfLength(least, most, steps));
}

/** A document writes the same pattern at many places: that of an address takes a tenth of a second. */
const knownApart = new WeakMap<Language, Map<string, boolean>>();

function areApart(format: Format, language: Language): boolean {
  const known = knownApart.get(language) ?? new Map<string, boolean>();
  knownApart.set(language, known);
  const found =
    known.get(format.name) ?? areDisjoint(format.over(), language, { left: mostSteps }) === true;
  known.set(format.name, found);
  return found;
}
