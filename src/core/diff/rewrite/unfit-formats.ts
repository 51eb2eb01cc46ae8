// A format that refuses what stands next to it: `{ "format": "time", "pattern": "^\\d\\d:\\d\\d$" }` takes no text at all, because a
// time has seconds and a zone. Who writes that has values all the same, so their validators do not check formats.

import type { Dialect } from '../../schema/dialects.ts';
import { assertsText, findFormat } from '../../schema/formats/formats.ts';
import { defaultDialect, isOpenApi } from '../../schema/keywords.ts';
import { areDisjoint, type Language, textsOfLength } from '../../schema/patterns/language.ts';
import { compilePattern } from '../../schema/patterns/pattern.ts';
import type { TooLarge } from '../../schema/patterns/steps.ts';
import { dialectOfDocument } from '../../schema/places.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';

/**
 * The schema as it is read by validators that do not check such formats. The same object if it has none. What looks like a
 * schema in data is changed as well: that only matters for data which the other reading compares.
 *
 * @example withoutUnfitFormats({ format: 'time', enum: ['10:00'] }) // { enum: ['10:00'] }
 */
export function withoutUnfitFormats(schema: Json, stated: Dialect = defaultDialect): Json {
  const dialect = dialectOfDocument(schema, stated);
  const known = isOpenApi(dialect) ? readInOpenApi : readElsewhere;
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
    const isUnfit = hasUnfitFormat(value, dialect);
    if (!isUnfit && members.every(([key, member]) => value[key] === member)) return value;
    return Object.fromEntries(members.filter(([key]) => key !== 'format' || !isUnfit));
  };
  return read(schema);
}

/** The operations of one document share their definitions. Some formats count in OpenAPI alone. */
const readInOpenApi = new WeakMap<object, Json>();
const readElsewhere = new WeakMap<object, Json>();

function kept(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  return after.some((each, index) => each !== before[index]) ? after : before;
}

/** Whoever needs more of them for one pattern gets no second reading. */
const mostSteps = 100_000;

function hasUnfitFormat(schema: JsonObject, dialect: Dialect): boolean {
  const { format: name, enum: listed, const: only, pattern, minLength, maxLength } = schema;
  if (typeof name !== 'string' || !assertsText(name, dialect)) return false;
  const format = findFormat(name);
  if (format === null) return false;
  const values = [...(Array.isArray(listed) ? (listed as readonly Json[]) : []), only ?? null];
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.some((text) => format.isMember(text) === false)) return true;
  const steps = { left: mostSteps };
  const isApart = (language: Language | TooLarge) =>
    language !== 'too_large' && areDisjoint(format.over(), language, steps) === true;
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
