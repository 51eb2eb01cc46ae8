// What a schema says of a column, as conditions in SQL. A null answer means that SQL cannot say it
// exactly, and that the validator has to see the values.
//
// Null, true, false and NaN are judged by the validator itself, before any row is read. What is left
// are numbers and texts, whose keywords have exact counterparts.

import { validate } from '../../containment/validate/validator.ts';
import { assertsText, findFormat } from '../../schema/formats/formats.ts';
import { findNumberFormat } from '../../schema/formats/number-formats.ts';
import { asksForWrittenIntegers } from '../../schema/keywords.ts';
import type { JsonNumber, Keywords, SchemaNode } from '../../schema/schema.ts';
import { isExactNumber, type Json } from '../../value/json.ts';
import {
  addRationals,
  areEqualRationals,
  compareRationals,
  decimalTextOf,
  firstMultipleFrom,
  lastMultipleUpTo,
  leastCommonMultiple,
  negateRational,
  type Rational,
  rationalOf,
} from '../../value/rational.ts';
import { demandOf } from '../fault-words.ts';
import { allOf, anyOf, type Condition, not, oneOf, sql } from './condition.ts';
import type { SqlDialect } from './dialect.ts';
import { portablePattern } from './portable-pattern.ts';
import type { ExactKind, SourceColumn } from './source-column.ts';

interface ColumnRule {
  readonly rule: string;
  /** What is demanded: `must be at least 1`. */
  readonly message: string;
  /** Of values that are not null. */
  readonly condition: Condition;
}

export interface CompiledColumn {
  readonly acceptsNull: boolean;
  readonly rules: readonly ColumnRule[];
}

interface Target {
  readonly column: SourceColumn;
  readonly dialect: SqlDialect;
}

/** Schemas may refer to each other in a circle, or deeper than anybody writes by hand. */
const maxDepth = 60;

export function compileColumn(node: SchemaNode, target: Target): CompiledColumn | null {
  const ofNull = validate(node, null);
  const rules =
    target.column.type.kind === 'boolean' ? ofBoolean(node, target) : rulesOf(node, target, 0);
  if (ofNull === 'gave_up' || rules === null) return null;
  const finite = rules.length === 0 ? [] : finiteRules(node, target, rules);
  if (finite === null) return null;
  return {
    acceptsNull: ofNull === 'accepted',
    rules: finite.filter(({ condition }) => condition !== true),
  };
}

function ofBoolean(node: SchemaNode, { column, dialect }: Target): readonly ColumnRule[] | null {
  const [ofTrue, ofFalse] = [validate(node, true), validate(node, false)];
  if (ofTrue === 'gave_up' || ofFalse === 'gave_up') return null;
  const accepted = [ofTrue === 'accepted', ofFalse === 'accepted'];
  const message = demandOf(node.keywords, 'types') ?? `must be ${accepted[0] === true}`;
  if (accepted[0] === accepted[1])
    return [{ rule: 'type', message, condition: accepted[0] === true }];
  const isRight = sql(`${dialect.quoteName(column.name)} = ${accepted[0]}`);
  return [{ rule: 'const', message: `must be ${accepted[0]}`, condition: isRight }];
}

/** NaN and infinity read as text, so the rules of numbers do not speak of them. */
function finiteRules(
  node: SchemaNode,
  { column, dialect }: Target,
  rules: readonly ColumnRule[],
): readonly ColumnRule[] | null {
  const finite = isNumeric(column.type.kind) ? dialect.isFinite(column) : null;
  if (finite === null) return rules;
  const verdicts = ['NaN', 'Infinity', '-Infinity'].map((each) => validate(node, each));
  const [verdict] = verdicts;
  if (verdicts.some((each) => each !== verdict) || verdict === 'gave_up') return null;
  const guarded = rules.map(({ condition, ...rule }) => ({
    ...rule,
    condition: anyOf([not(sql(finite)), condition]),
  }));
  const message = 'must be a number, and neither NaN nor infinite';
  return verdict === 'accepted'
    ? guarded
    : [{ rule: 'type', message, condition: sql(finite) }, ...guarded];
}

/** Each keyword is a rule of its own, so that a report can name it. */
function rulesOf(node: SchemaNode, target: Target, depth: number): readonly ColumnRule[] | null {
  const { keywords } = node;
  if (saysNothing(keywords)) return [];
  if (depth > maxDepth || isOpen(keywords) || isOpaque(target)) return null;
  if (keywords.isFalse)
    return [{ rule: 'false', message: 'is not allowed here', condition: false }];
  const type = typeCondition(node, target);
  if (type === null) return null;
  // Other keywords mean nothing for values of the wrong type.
  const rules: (ColumnRule | null)[] = [];
  const add = (rule: string, condition: Condition | null) => {
    const name = rule === 'type' ? 'types' : (rule as keyof Keywords);
    const message = demandOf(keywords, name) ?? 'does not match the schema';
    rules.push(condition === null ? null : { rule, message, condition });
  };
  add('type', type);
  if (type === false) return rules.flatMap((each) => (each === null ? [] : [each]));
  if (keywords.const !== undefined) add('const', compileValues([keywords.const.value], target));
  if (keywords.enum !== undefined) add('enum', compileValues(keywords.enum, target));
  const kind = target.column.type.kind;
  for (const [rule, condition] of isNumeric(kind)
    ? numberRules(node, target)
    : textRules(node, target)) {
    add(rule, condition);
  }
  const branch = (each: SchemaNode) => conditionOf(each, target, depth + 1);
  for (const [rule, join] of unions) {
    const branches = keywords[rule];
    if (branches !== undefined) add(rule, whole(branches.map(branch), join));
  }
  if (keywords.not !== undefined)
    add(
      'not',
      whole([branch(keywords.not)], ([only]) => not(only ?? true)),
    );
  add('if', choiceCondition(keywords, branch));
  const inner = [keywords.ref, ...(keywords.allOf ?? [])].flatMap((each) =>
    each === undefined ? [] : [rulesOf(each, target, depth + 1)],
  );
  if (inner.includes(null) || rules.includes(null)) return null;
  return [...rules, ...inner.flat()].flatMap((each) => (each === null ? [] : [each]));
}

const unions = [
  ['anyOf', anyOf],
  ['oneOf', oneOf],
] as const;

function conditionOf(node: SchemaNode, target: Target, depth: number): Condition | null {
  const rules = rulesOf(node, target, depth);
  return rules === null ? null : allOf(rules.map(({ condition }) => condition));
}

function whole(
  parts: readonly (Condition | null)[],
  join: (parts: readonly Condition[]) => Condition,
): Condition | null {
  const known = parts.flatMap((part) => (part === null ? [] : [part]));
  return known.length === parts.length ? join(known) : null;
}

function choiceCondition(
  keywords: Keywords,
  branch: (node: SchemaNode) => Condition | null,
): Condition | null {
  const { if: condition, then, else: otherwise } = keywords;
  if (condition === undefined || (then === undefined && otherwise === undefined)) return true;
  const parts = [
    branch(condition),
    then === undefined ? true : branch(then),
    otherwise === undefined ? true : branch(otherwise),
  ];
  return whole(parts, ([test = true, yes = true, no = true]) =>
    allOf([anyOf([not(test), yes]), anyOf([test, no])]),
  );
}

/** Whether a part of its meaning is not known here. */
function isOpen({ problems = [], dynamicRef }: Keywords): boolean {
  return problems.length > 0 || dynamicRef !== undefined;
}

function saysNothing(keywords: Keywords): boolean {
  return Object.keys(keywords).every((name) => name === 'isIdle');
}

/** Only the validator knows what such values are. */
function isOpaque({ column: { type } }: Target): boolean {
  return type.kind === 'json' || type.kind === 'cell';
}

function isNumeric(kind: SourceColumn['type']['kind']): boolean {
  return kind === 'exact' || kind === 'double' || kind === 'single';
}

function typeCondition({ keywords, dialect }: SchemaNode, target: Target): Condition | null {
  const { types } = keywords;
  const { type, name } = target.column;
  if (types === undefined) return true;
  if (!isNumeric(type.kind)) return types.includes('string');
  if (types.includes('number')) return true;
  if (!types.includes('integer')) return false;
  if (type.kind === 'exact' && type.step === 1) return true;
  // Draft 4 asks how a whole number is written, which columns do not know.
  if (asksForWrittenIntegers(dialect)) return null;
  const x = target.dialect.quoteName(name);
  return sql(`${x} = floor(${x})`);
}

function compileValues(values: readonly Json[], target: Target): Condition | null {
  const literals = values.map((value) => literalOf(value, target));
  if (literals.includes(null)) return null;
  const known = literals.filter((each) => each !== 'never');
  if (known.length === 0) return false;
  return sql(`${comparable(target)} IN (${known.join(', ')})`);
}

function comparable({ column, dialect }: Target): string {
  return isNumeric(column.type.kind) ? dialect.quoteName(column.name) : dialect.text(column);
}

/** `never`: no value of the column is equal to it. Null: that cannot be said. */
function literalOf(value: Json, target: Target): string | 'never' | null {
  const { column } = target;
  const { type } = column;
  if (isOpaque(target)) return null;
  if (!isNumeric(type.kind)) {
    if (typeof value !== 'string' || !value.isWellFormed()) return 'never';
    // No literal of SQL has this character.
    if (value.includes('\0')) return target.dialect.holdsNul ? null : 'never';
    return target.dialect.quoteText(value);
  }
  if (typeof value !== 'number' && !isExactNumber(value)) return 'never';
  const number = rationalOf(value);
  return number === null ? null : numberLiteral(number, column);
}

/** `never`: the type has no such number. */
function numberLiteral(number: Rational, { type, sqlType }: SourceColumn): string | 'never' | null {
  const text = decimalTextOf(number);
  if (text === null) return null;
  if (type.kind === 'single') {
    // Of these it is certain that a number of 32 bits is written as they are.
    const isSure = typeof number === 'number' && Math.abs(number) <= 2 ** 24;
    return isSure ? cast(text, sqlType) : null;
  }
  if (type.kind === 'double') {
    // A double reads as its shortest text, so a number that no double is written as is none of them.
    const shortest = rationalOf(Number(text));
    return shortest !== null && areEqualRationals(shortest, number) ? cast(text, sqlType) : 'never';
  }
  return type.kind === 'exact' && fits(number, type) ? cast(text, sqlType) : 'never';
}

function cast(text: string, sqlType: string): string {
  return `CAST('${text}' AS ${sqlType})`;
}

function fits(number: Rational, { step, least, greatest }: ExactKind): boolean {
  const isStep = step === null || areEqualRationals(lastMultipleUpTo(number, step), number);
  return isStep && !isBelow(number, least) && !isAbove(number, greatest);
}

function isBelow(number: Rational, least: Rational | null): boolean {
  return least !== null && compareRationals(number, least) < 0;
}

function isAbove(number: Rational, greatest: Rational | null): boolean {
  return greatest !== null && compareRationals(number, greatest) > 0;
}

type NamedCondition = readonly [rule: string, condition: Condition | null];

const bounds = [
  ['minimum', '>='],
  ['maximum', '<='],
  ['exclusiveMinimum', '>'],
  ['exclusiveMaximum', '<'],
] as const;

function numberRules(node: SchemaNode, target: Target): readonly NamedCondition[] {
  const { keywords } = node;
  const limits = bounds.flatMap(([rule, sign]): readonly NamedCondition[] => {
    const bound = keywords[rule];
    return bound === undefined ? [] : [[rule, boundCondition(bound, sign, target)]];
  });
  const { multipleOf, format } = keywords;
  const isOpenFormat = format !== undefined && findNumberFormat(format, node.dialect) !== null;
  return [
    ...limits,
    ...(multipleOf === undefined
      ? []
      : [['multipleOf', multipleCondition(multipleOf, target)] as const]),
    ...(isOpenFormat ? [['format', null] as const] : []),
  ];
}

type Sign = (typeof bounds)[number][1];

function boundCondition(
  bound: JsonNumber,
  sign: Sign,
  { column, dialect }: Target,
): Condition | null {
  const number = rationalOf(bound);
  if (number === null) return null;
  const { type } = column;
  const x = dialect.quoteName(column.name);
  if (type.kind !== 'exact' || type.step === null) {
    const literal = numberLiteral(number, column);
    // A bound between two doubles lies between their texts, too, but nobody writes one.
    return literal === null || literal === 'never' ? null : sql(`${x} ${sign} ${literal}`);
  }
  // The first number of the type that passes, or the last one, so that no engine rounds.
  const { step, least, greatest } = type;
  const isLower = sign === '>=' || sign === '>';
  const limit = {
    '>=': () => firstMultipleFrom(number, step),
    '>': () => addRationals(lastMultipleUpTo(number, step), step),
    '<=': () => lastMultipleUpTo(number, step),
    '<': () => addRationals(firstMultipleFrom(number, step), negateRational(step)),
  }[sign]();
  if (isLower ? isAbove(limit, greatest) : isBelow(limit, least)) return false;
  const literal = numberLiteral(limit, column);
  if (literal === null) return null;
  // A limit outside of the type on the other side holds for all of its numbers.
  return literal === 'never' ? true : sql(`${x} ${isLower ? '>=' : '<='} ${literal}`);
}

function multipleCondition(divisor: JsonNumber, { column, dialect }: Target): Condition | null {
  const number = rationalOf(divisor);
  const { type } = column;
  if (number === null || number === 0 || type.kind !== 'exact') return null;
  const x = dialect.quoteName(column.name);
  if (type.step === null) return remainderCondition(number, { column, dialect });
  // A multiple of the step is one of the divisor, too, if it is one of both.
  const both = leastCommonMultiple(number, type.step);
  if (areEqualRationals(both, type.step)) return true;
  if (isAbove(both, type.greatest)) {
    const opposite = numberLiteral(negateRational(both), column);
    return opposite === null || opposite === 'never'
      ? sql(`${x} = 0`)
      : sql(`${x} IN (0, ${opposite})`);
  }
  return type.step === 1 || dialect.hasExactRemainder
    ? remainderCondition(both, { column, dialect })
    : null;
}

function remainderCondition(
  divisor: Rational,
  { column: { name, sqlType }, dialect }: Target,
): Condition | null {
  const text = decimalTextOf(divisor);
  if (text === null) return null;
  return sql(`${dialect.remainder(dialect.quoteName(name), cast(text, sqlType))} = 0`);
}

function textRules(node: SchemaNode, target: Target): readonly NamedCondition[] {
  const { minLength, maxLength, pattern, format } = node.keywords;
  const { column, dialect } = target;
  const text = dialect.text(column);
  const rules: NamedCondition[] = [];
  const length = dialect.length?.(text) ?? null;
  if (minLength !== undefined && minLength > 0) {
    const condition = length === null ? null : sizeCondition(`${length} >=`, minLength);
    rules.push(['minLength', condition]);
  }
  if (maxLength !== undefined) {
    const condition = length === null ? null : sizeCondition(`${length} <=`, maxLength);
    rules.push(['maxLength', condition]);
  }
  if (pattern !== undefined) {
    const portable = portablePattern(pattern, dialect);
    const test = portable === null ? null : (dialect.matches?.(text, portable) ?? null);
    rules.push(['pattern', test === null ? null : sql(test)]);
  }
  if (format !== undefined && assertsText(format, node.dialect) && findFormat(format) !== null) {
    rules.push(['format', formatCondition(format, target)]);
  }
  return rules;
}

/** Larger counts than a text can have characters. */
const maxSize = 2 ** 31 - 1;

function sizeCondition(test: string, size: number): Condition {
  return size <= maxSize ? sql(`${test} ${size}`) : test.endsWith('<=');
}

/** Only types that write nothing else are known to have a format. */
const formatsOfKinds: Readonly<Partial<Record<SourceColumn['type']['kind'], string>>> = {
  date: 'date',
  timestamp: 'date-time',
  uuid: 'uuid',
};

function formatCondition(format: string, { column, dialect }: Target): Condition | null {
  if (formatsOfKinds[column.type.kind] !== format) return null;
  return column.type.kind === 'uuid' ? true : sql(dialect.isWritable(column));
}
