// A schema as people read one: fields with a type, rules and a description. References are followed
// and `allOf` is merged; anything more complex becomes a variant.

import { parseSchema } from '../../core/schema/parse-schema.ts';
import {
  jsonPathOf,
  type Keywords,
  type SchemaNode,
  saysSomething,
} from '../../core/schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import type { Contract } from '../data/shapes.ts';
import { words } from '../words.ts';
import { oneLine } from './json-view.tsx';

export interface Field {
  /** The location in a value: `lines[].sku`. Unique within a schema. */
  readonly path: string;
  readonly name: string;
  /** The location in changes: `$.properties.lines.items.properties.sku`. */
  readonly place: string;
  readonly type: string;
  /** Null if it does not apply: for items and variants. */
  readonly isRequired: boolean | null;
  readonly description: string;
  /** Bounds, patterns, values, defaults, and the guarantees for the column. */
  readonly rules: readonly string[];
  readonly guarantees: readonly string[];
  readonly hasChildren: boolean;
  /** Computed when the field is unfolded, because a recursive schema is infinite. */
  children(): readonly Field[];
}

/** The parts of a contract that its fields are read from. */
export type Readable = Pick<Contract, 'schema' | 'dialect' | 'guarantees'>;

/** The outermost fields of a contract. */
export function fieldsOf({ schema, dialect, guarantees }: Readable): readonly Field[] {
  const document = parseSchema(schema, dialect ?? undefined);
  return childrenOf(document.root, '', guarantees);
}

const maxPassed = 8;

/** All fields down to a depth, in the order of the document. */
export function listFields(
  fields: readonly Field[],
  depth: number,
  limit: number,
): readonly Field[] {
  const found: Field[] = [];
  const visit = (field: Field, left: number) => {
    if (found.length >= limit) return;
    found.push(field);
    if (left > 0 && field.hasChildren) for (const child of field.children()) visit(child, left - 1);
  };
  for (const field of fields) visit(field, depth);
  return found;
}

interface Placed {
  readonly path: string;
  readonly name: string;
  readonly isRequired: boolean | null;
  readonly guarantees: JsonObject | null;
}

function toField(node: SchemaNode, placed: Placed): Field {
  const parts = partsOf(node);
  return {
    path: placed.path,
    name: placed.name,
    place: jsonPathOf(node),
    type: typeOf(node, 0),
    isRequired: placed.isRequired,
    description:
      parts.map((part) => textOf(part.raw, 'description')).find((text) => text !== '') ?? '',
    rules: parts.flatMap((part) => rulesOf(part.keywords, part.raw)),
    guarantees: guaranteesOf(placed),
    hasChildren: hasInside(node),
    children: () => childrenOf(node, placed.path, null),
  };
}

/**
 * `passed` counts the lists and single variants on the way, because a list of itself is infinite.
 */
function childrenOf(
  node: SchemaNode,
  path: string,
  guarantees: JsonObject | null,
  passed = 0,
): Field[] {
  if (passed > maxPassed) return [];
  const parts = partsOf(node);
  const required = new Set(parts.flatMap((part) => part.keywords.required ?? []));
  const at = (step: string) => (path === '' ? step : `${path}.${step}`);
  const fields: Field[] = [];
  const seen = new Set<string>();
  for (const part of parts) {
    for (const [name, child] of part.keywords.properties ?? []) {
      if (seen.has(name)) continue;
      seen.add(name);
      fields.push(
        toField(child, { path: at(name), name, isRequired: required.has(name), guarantees }),
      );
    }
    for (const [pattern, child] of part.keywords.patternProperties ?? []) {
      const name = words.fields.matching(pattern);
      fields.push(
        toField(child, { path: at(`/${pattern}/`), name, isRequired: null, guarantees: null }),
      );
    }
    const rest = part.keywords.additionalProperties;
    if (saysSomething(rest) && rest.keywords.isFalse !== true) {
      const name = words.fields.eachValue;
      fields.push(toField(rest, { path: at('*'), name, isRequired: null, guarantees: null }));
    }
    for (const [index, child] of (part.keywords.prefixItems ?? []).entries()) {
      const step = `[${index}]`;
      fields.push(
        toField(child, { path: path + step, name: step, isRequired: null, guarantees: null }),
      );
    }
    const items = part.keywords.items;
    if (items !== undefined && hasInside(items)) {
      fields.push(...childrenOf(items, `${path}[]`, null, passed + 1));
    }
    fields.push(...variantsOf(part, path, passed));
  }
  return fields;
}

function variantsOf(part: SchemaNode, path: string, passed: number): Field[] {
  const variants = unionOf(part.keywords).filter((variant) => !isNull(variant));
  const only = variants[0];
  if (only !== undefined && variants.length === 1) return childrenOf(only, path, null, passed + 1);
  if (!variants.some((variant) => hasInside(variant))) return [];
  return variants.map((variant, index) =>
    toField(variant, {
      path: `${path}|${index + 1}`,
      name: textOf(variant.raw, 'title') || words.fields.variant(index + 1),
      isRequired: null,
      guarantees: null,
    }),
  );
}

/** The node, its references, and its `allOf`: all of them apply to the same value. */
function partsOf(node: SchemaNode): SchemaNode[] {
  const parts: SchemaNode[] = [];
  const visit = (part: SchemaNode) => {
    if (parts.includes(part)) return;
    parts.push(part);
    const { ref, dynamicRef, allOf = [] } = part.keywords;
    if (ref !== undefined) visit(ref);
    if (dynamicRef !== undefined) visit(dynamicRef.target);
    for (const one of allOf) visit(one);
  };
  visit(node);
  return parts;
}

function hasInside(node: SchemaNode, depth = 0): boolean {
  if (depth > 8) return true;
  return partsOf(node).some(({ keywords }) => {
    if ((keywords.properties?.size ?? 0) > 0 || (keywords.patternProperties?.size ?? 0) > 0)
      return true;
    const rest = keywords.additionalProperties;
    if (saysSomething(rest) && rest.keywords.isFalse !== true) return true;
    if (keywords.prefixItems !== undefined) return true;
    if (keywords.items !== undefined && hasInside(keywords.items, depth + 1)) return true;
    return unionOf(keywords).some((variant) => hasInside(variant, depth + 1));
  });
}

function unionOf(keywords: Keywords): readonly SchemaNode[] {
  return keywords.oneOf ?? keywords.anyOf ?? [];
}

function isNull(node: SchemaNode): boolean {
  const { types, const: only } = node.keywords;
  return (
    (types?.length === 1 && types[0] === 'null') || (only !== undefined && only.value === null)
  );
}

/** @example typeOf(node, 0) // "list of string or null" */
function typeOf(node: SchemaNode, depth: number): string {
  const parts = partsOf(node);
  const isImpossible = parts.some((part) => part.keywords.isFalse === true);
  if (isImpossible) return words.fields.nothing;
  const { names, isNullable } = typeNames(parts);
  const variants = parts.flatMap((part) => unionOf(part.keywords));
  const living = variants.filter((variant) => !isNull(variant));
  const canBeNull = isNullable || living.length < variants.length;
  const base = baseType(parts, names, living, depth);
  return canBeNull ? `${base} ${words.fields.orNull}` : base;
}

function baseType(
  parts: readonly SchemaNode[],
  names: readonly string[],
  variants: readonly SchemaNode[],
  depth: number,
): string {
  const only = variants[0];
  if (names.length === 0 && only !== undefined) {
    if (variants.length === 1 && depth < 4) return typeOf(only, depth + 1);
    const types = [
      ...new Set(depth < 4 ? variants.map((variant) => typeOf(variant, depth + 1)) : []),
    ];
    const isSimple =
      types.length > 0 && types.join(' | ').length <= 40 && !types.includes('object');
    return isSimple ? types.join(' | ') : words.fields.oneOf(variants.length);
  }
  if (names.length === 0) return impliedType(parts);
  return names.map((name) => namedType(name, parts, depth)).join(' | ');
}

function namedType(name: string, parts: readonly SchemaNode[], depth: number): string {
  if (name === 'array') {
    const items = parts.map((part) => part.keywords.items).find((node) => node !== undefined);
    return items === undefined || depth >= 4
      ? 'list'
      : words.fields.arrayOf(typeOf(items, depth + 1));
  }
  if (name === 'object') {
    const isRecord = parts.some((part) => part.keywords.properties !== undefined);
    const rest = parts
      .map((part) => part.keywords.additionalProperties)
      .find((node) => saysSomething(node) && node.keywords.isFalse !== true);
    return !isRecord && rest !== undefined && depth < 4
      ? words.fields.mapOf(typeOf(rest, depth + 1))
      : 'object';
  }
  const format = parts.map((part) => part.keywords.format).find((text) => text !== undefined);
  return name === 'string' && format !== undefined ? `string · ${format}` : name;
}

function typeNames(parts: readonly SchemaNode[]) {
  const lists = parts.flatMap(({ keywords: { types } }) => (types === undefined ? [] : [types]));
  const common = (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
  return { names: common.filter((name) => name !== 'null'), isNullable: common.includes('null') };
}

/**
 * Without `type` the other keywords imply it: `properties` implies objects, `enum` the types of its
 * values.
 */
function impliedType(parts: readonly SchemaNode[]): string {
  for (const { keywords } of parts) {
    if (keywords.properties !== undefined || keywords.required !== undefined) return 'object';
    if (keywords.items !== undefined || keywords.prefixItems !== undefined) return 'list';
    if (keywords.const !== undefined) return kindOf(keywords.const.value);
    const kinds = new Set((keywords.enum ?? []).map(kindOf));
    if (kinds.size > 0) return [...kinds].join(' | ');
  }
  return words.fields.any;
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) || typeof value !== 'object' ? typeof value : 'number';
}

const shownValues = 8;

type Rule = readonly [keyof Keywords, (value: never) => string];

const simpleRules: readonly Rule[] = [
  ['const', (value: { value: Json }) => words.fields.always(oneLine(value.value))],
  ['enum', (values: readonly Json[]) => words.fields.enum(listValues(values))],
  ['minimum', (value: Json) => words.fields.atLeast(oneLine(value))],
  ['maximum', (value: Json) => words.fields.atMost(oneLine(value))],
  ['exclusiveMinimum', (value: Json) => words.fields.moreThan(oneLine(value))],
  ['exclusiveMaximum', (value: Json) => words.fields.lessThan(oneLine(value))],
  ['multipleOf', (value: Json) => words.fields.multipleOf(oneLine(value))],
  ['pattern', words.fields.pattern],
  ['uniqueItems', () => words.fields.unique],
];

/** A range of lengths or counts; equal bounds are one number. */
function countRules({ minLength, maxLength, minItems, maxItems }: Keywords): string[] {
  const { fields } = words;
  const between = (
    least: number | undefined,
    most: number | undefined,
    say: Readonly<Record<'least' | 'most' | 'exact', (count: number) => string>>,
  ) => {
    if (least !== undefined && least === most) return [say.exact(least)];
    return [
      ...(least === undefined ? [] : [say.least(least)]),
      ...(most === undefined ? [] : [say.most(most)]),
    ];
  };
  return [
    ...between(minLength, maxLength, {
      least: fields.minLength,
      most: fields.maxLength,
      exact: fields.exactLength,
    }),
    ...between(minItems, maxItems, {
      least: fields.minItems,
      most: fields.maxItems,
      exact: fields.exactItems,
    }),
  ];
}

function rulesOf(keywords: Keywords, raw: Json): string[] {
  const rules = simpleRules.flatMap(([name, say]) => {
    const value = keywords[name];
    return value === undefined ? [] : [say(value as never)];
  });
  rules.push(...countRules(keywords));
  const isClosed =
    keywords.properties !== undefined && keywords.additionalProperties?.keywords.isFalse === true;
  if (isClosed) rules.push(words.fields.closed);
  if (isJsonObject(raw) && raw.default !== undefined) {
    rules.push(words.fields.default(oneLine(raw.default)));
  }
  if (isJsonObject(raw) && raw.deprecated === true) rules.push(words.fields.deprecated);
  return rules;
}

export function listValues(values: readonly Json[]): string {
  const shown = values.slice(0, shownValues).map(oneLine).join(', ');
  const rest = values.length - shownValues;
  return rest > 0 ? `${shown} ${words.fields.moreValues(rest)}` : shown;
}

function guaranteesOf({ path, guarantees }: Placed): string[] {
  if (guarantees === null) return [];
  const said: string[] = [];
  const { nullability, accepted_values: accepted } = guarantees;
  if (isJsonObject(nullability) && Object.hasOwn(nullability, path)) {
    said.push(words.guarantees.neverNull);
  }
  const values =
    isJsonObject(accepted) && Object.hasOwn(accepted, path) ? accepted[path] : undefined;
  if (Array.isArray(values)) said.push(words.guarantees.oneOf(listValues(values)));
  return said;
}

function textOf(raw: Json, key: string): string {
  const text = isJsonObject(raw) ? raw[key] : undefined;
  return typeof text === 'string' ? text : '';
}
