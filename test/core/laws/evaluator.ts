// A validator written from the specifications, for the laws to be judged by. It shares no code with
// the engine: not its tables, not its parser, not its URIs. It is slow, plain, and has no formats.
//
// Where a specification leaves a question open, or validators read it in different ways, it takes a
// reading (all of them are asked), or has no opinion at all.

import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import draft07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import draft04 from 'ajv-draft-04/dist/refs/json-schema-draft-04.json' with { type: 'json' };
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { ExactNumber, Json, JsonObject } from '../../../src/core/value/json.ts';
import { isExactNumber, isJsonObject } from '../../../src/core/value/json.ts';
import { amountOf, isWhole } from './amounts.ts';

/** One way to read what validators read differently. */
export interface Readings {
  /** Whether whole numbers are written with a fraction: 1.0 is no integer of draft-04. */
  readonly writesFractions: boolean;
  /** Which items `contains` evaluates in 2019-09. */
  readonly containsEvaluates: 'none' | 'matching' | 'all';
  /** Whether `dependencies` is obeyed where it is not of the dialect any more. */
  readonly obeysDependencies: boolean;
}

type Evaluate = (value: Json, readings: Readings) => boolean | undefined;

type Place = 'one' | 'list' | 'map' | 'one or list';

/** The letters of the dialects that have a keyword; see `letters`. */
const letters: Readonly<Record<string, string>> = {
  ...{ 'draft-04': '4', 'draft-06': '6', 'draft-07': '7', '2019-09': '9', '2020-12': '0' },
  ...{ 'openapi-3.0': 'o', 'openapi-3.1': 'p' },
};
const every = '46790op';
const drafts = '46790p';

/** Which dialects have a keyword, and how schemas stand in it. */
const known: Readonly<Record<string, readonly [dialects: string, place?: Place]>> = {
  ...{ $ref: [every], $dynamicRef: ['0p'], $recursiveRef: ['9'], $schema: [drafts], id: ['4'] },
  ...{ $id: ['6790p'], $anchor: ['90p'], $dynamicAnchor: ['0p'], $recursiveAnchor: ['9'] },
  ...{ $defs: ['90p', 'map'], definitions: [drafts, 'map'], contentSchema: ['90p', 'one'] },
  ...{ type: [every], enum: [every], const: ['6790p'], nullable: ['o'], multipleOf: [every] },
  ...{ minimum: [every], maximum: [every], exclusiveMinimum: [every], exclusiveMaximum: [every] },
  ...{ minLength: [every], maxLength: [every], pattern: [every] },
  ...{
    items: [every, 'one or list'],
    additionalItems: ['4679', 'one'],
    prefixItems: ['0p', 'list'],
  },
  ...{ contains: ['6790p', 'one'], minContains: ['90p'], maxContains: ['90p'] },
  ...{ minItems: [every], maxItems: [every], uniqueItems: [every] },
  ...{ unevaluatedItems: ['90p', 'one'], properties: [every, 'map'] },
  ...{ patternProperties: [drafts, 'map'], additionalProperties: [every, 'one'] },
  ...{ unevaluatedProperties: ['90p', 'one'], propertyNames: ['6790p', 'one'] },
  ...{ required: [every], minProperties: [every], maxProperties: [every] },
  ...{
    dependencies: [drafts, 'map'],
    dependentRequired: ['90p'],
    dependentSchemas: ['90p', 'map'],
  },
  ...{
    allOf: [every, 'list'],
    anyOf: [every, 'list'],
    oneOf: [every, 'list'],
    not: [every, 'one'],
  },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword; nothing awaits this table.
  ...{ if: ['790p', 'one'], then: ['790p', 'one'], else: ['790p', 'one'] },
};

export const keywordNames: readonly string[] = Object.keys(known);

export function hasKeyword(dialect: string, keyword: string): boolean {
  if (!Object.hasOwn(known, keyword)) return false;
  return known[keyword]?.[0].includes(letters[dialect] ?? '?') ?? false;
}

class Unclear extends Error {}

interface Resource {
  readonly root: Json;
  readonly dialect: string;
  readonly uri: string;
  readonly anchors: Map<string, JsonObject | 'twice'>;
  readonly dynamic: Map<string, JsonObject>;
}

const start = 'http://document.test/schema';

export const dialectUris: Readonly<Record<string, Dialect>> = {
  'http://json-schema.org/draft-04/schema#': 'draft-04',
  'http://json-schema.org/draft-06/schema#': 'draft-06',
  'http://json-schema.org/draft-07/schema#': 'draft-07',
  'https://json-schema.org/draft/2019-09/schema': '2019-09',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'https://spec.openapis.org/oas/3.1/dialect/base': 'openapi-3.1',
};

/** As they are published. */
const metaschemas: ReadonlyMap<string, readonly [dialect: Dialect, schema: JsonObject]> = new Map([
  ['http://json-schema.org/draft-04/schema', ['draft-04', draft04 as JsonObject]],
  ['http://json-schema.org/draft-06/schema', ['draft-06', draft06 as JsonObject]],
  ['http://json-schema.org/draft-07/schema', ['draft-07', draft07 as JsonObject]],
]);

function isOld(dialect: string): boolean {
  return '467o'.includes(letters[dialect] ?? '?');
}

function isFirst(dialect: string): boolean {
  return '4o'.includes(letters[dialect] ?? '?');
}

export function evaluatorOf(dialect: string, document: Json): Evaluate {
  return new Evaluator(dialect, document).ask;
}

interface Result {
  readonly isValid: boolean;
  readonly keys: ReadonlySet<string>;
  readonly items: ReadonlySet<number>;
}

const failed: Result = { isValid: false, keys: new Set(), items: new Set() };

interface Context {
  readonly readings: Readings;
  readonly scope: readonly Resource[];
  /** What is being applied to the value, so that a circle is seen. */
  readonly above: readonly (readonly [Json, number])[];
}

class Evaluator {
  private readonly document: Json;
  private readonly resources = new Map<string, Resource | 'twice'>();
  private readonly around = new Map<JsonObject, Resource>();
  private hasIgnoredNames = false;

  constructor(dialect: string, document: Json) {
    this.document = document;
    const first = this.newResource(document, start, dialect);
    this.resources.set(start, first);
    this.index(document, first, true);
  }

  readonly ask: Evaluate = (value, readings) => {
    try {
      const first = isJsonObject(this.document) ? this.around.get(this.document) : undefined;
      const scope = first === undefined ? [] : [first];
      return this.apply(this.document, value, { readings, scope, above: [] }).isValid;
    } catch (error) {
      if (error instanceof Unclear || error instanceof RangeError) return undefined;
      throw error;
    }
  };

  private newResource(root: Json, uri: string, dialect: string): Resource {
    return { root, uri, dialect, anchors: new Map(), dynamic: new Map() };
  }

  private placeOf(
    dialect: string,
    keyword: string,
    value: Json,
  ): 'one' | 'list' | 'map' | undefined {
    if (!hasKeyword(dialect, keyword)) return undefined;
    const place = known[keyword]?.[1];
    if (place !== 'one or list') return place;
    const mayBeList = '4679'.includes(letters[dialect] ?? '?');
    return mayBeList && Array.isArray(value) ? 'list' : 'one';
  }

  private index(schema: Json, outer: Resource, isRoot = false): void {
    if (!isJsonObject(schema)) return;
    let resource = outer;
    const named = hasKeyword(outer.dialect, '$schema') ? schema.$schema : undefined;
    const dialect = (typeof named === 'string' && dialectUris[named]) || outer.dialect;
    const isBare = isOld(dialect) && typeof schema.$ref === 'string';
    // Each of the two dialects says for itself whether the other is named.
    if (typeof schema.$ref === 'string' && isOld(dialect) !== isOld(outer.dialect)) this.blur();
    const isNamedById = dialect === 'draft-04';
    const said = isNamedById ? schema.id : hasKeyword(dialect, '$id') ? schema.$id : undefined;
    const id = typeof said === 'string' && !isBare ? said : undefined;
    const [path = '', fragment = ''] = id?.split('#') ?? [];
    if (path !== '' || (isRoot && dialect !== outer.dialect)) {
      const uri = new URL(path, outer.uri).href;
      resource = this.newResource(schema, uri, dialect);
      this.resources.set(uri, this.resources.has(uri) && !isRoot ? 'twice' : resource);
    }
    if (fragment !== '' && isOld(dialect)) this.name(resource.anchors, fragment, schema);
    if (isRoot && resource !== outer) this.resources.set(start, resource);
    this.around.set(schema, resource);
    if (isBare) {
      this.indexBelow(schema, resource, true);
      return;
    }
    const { dialect: own } = resource;
    if (hasKeyword(own, '$anchor') && typeof schema.$anchor === 'string') {
      this.name(resource.anchors, schema.$anchor, schema);
    }
    if (hasKeyword(own, '$dynamicAnchor') && typeof schema.$dynamicAnchor === 'string') {
      const { $dynamicAnchor: name } = schema;
      if (name !== schema.$anchor) this.name(resource.anchors, name, schema);
      resource.dynamic.set(name, schema);
    }
    this.indexBelow(schema, resource, false);
  }

  private indexBelow(schema: JsonObject, resource: Resource, isIgnored: boolean): void {
    for (const [keyword, value] of Object.entries(schema)) {
      const place = this.placeOf(resource.dialect, keyword, value);
      if (place === undefined) continue;
      const inside =
        place === 'one'
          ? [value]
          : place === 'list'
            ? Array.isArray(value)
              ? value
              : []
            : isJsonObject(value)
              ? Object.values(value)
              : [];
      // Beside a reference that is alone nothing counts; whether its names do is nobody's to say.
      for (const one of inside) {
        if (isIgnored && this.mentionsName(one)) this.blur();
        this.index(one, resource);
      }
    }
  }

  private indexMetaschema(uri: string): void {
    const [dialect, schema] = metaschemas.get(uri) ?? [];
    if (dialect === undefined || schema === undefined) return;
    this.index(schema, this.newResource(schema, uri, dialect));
  }

  private blur(): void {
    this.hasIgnoredNames = true;
  }

  private name(names: Resource['anchors'], name: string, schema: JsonObject): void {
    names.set(name, names.has(name) ? 'twice' : schema);
  }

  private mentionsName(at: Json): boolean {
    if (Array.isArray(at)) return at.some((one) => this.mentionsName(one));
    if (!isJsonObject(at)) return false;
    return Object.entries(at).some(
      ([key, value]) =>
        (/^(\$?id|\$anchor|\$dynamicAnchor|\$recursiveAnchor|\$schema)$/.test(key) &&
          typeof value !== 'object') ||
        this.mentionsName(value),
    );
  }

  private resolve(reference: string, from: Resource): { schema: Json; resource: Resource } {
    const hash = reference.indexOf('#');
    const path = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? '' : decodeURIComponent(reference.slice(hash + 1));
    const uri = path === '' ? from.uri : new URL(path, from.uri).href;
    if (path !== '' && !this.resources.has(uri)) this.indexMetaschema(uri);
    const resource = path === '' ? from : this.resources.get(uri);
    if (resource === undefined || resource === 'twice') throw new Unclear();
    if (path !== '' && this.hasIgnoredNames) throw new Unclear();
    if (fragment === '') return { schema: resource.root, resource };
    if (!fragment.startsWith('/')) {
      const schema = resource.anchors.get(fragment);
      if (schema === undefined || schema === 'twice' || this.hasIgnoredNames) throw new Unclear();
      return { schema, resource: this.around.get(schema) ?? resource };
    }
    return this.resolvePointer(fragment, resource);
  }

  private resolvePointer(pointer: string, from: Resource): { schema: Json; resource: Resource } {
    let at: Json | undefined = from.root;
    let resource = from;
    for (const token of pointer.slice(1).split('/')) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(at)) at = at[Number(key)];
      else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
      if (at === undefined) throw new Unclear();
      const own = isJsonObject(at) ? this.around.get(at) : undefined;
      if (own !== undefined) resource = own;
    }
    if (typeof at !== 'boolean' && !isJsonObject(at)) throw new Unclear();
    const isSchema = isJsonObject(at) ? this.around.has(at) : true;
    if (!isSchema) {
      if (this.mentionsName(at)) throw new Unclear();
      this.index(at, resource);
    }
    return { schema: at, resource };
  }

  private apply(schema: Json, value: Json, context: Context): Result {
    if (typeof schema === 'boolean') return schema ? { ...failed, isValid: true } : failed;
    if (!isJsonObject(schema)) throw new Unclear();
    const resource = this.around.get(schema);
    if (resource === undefined) throw new Unclear();
    const { scope } = context;
    const entered = scope.includes(resource) ? scope : [...scope, resource];
    if (context.above.some(([one, size]) => one === schema && size === entered.length)) {
      throw new Unclear();
    }
    return this.applyObject(schema, value, {
      ...context,
      scope: entered,
      above: [...context.above, [schema, entered.length]],
    });
  }

  private applyObject(schema: JsonObject, value: Json, context: Context): Result {
    const here = this.around.get(schema);
    if (here === undefined) throw new Unclear();
    const keys = new Set<string>();
    const items = new Set<number>();
    let isValid = true;
    const take = (result: Result): boolean => {
      if (result.isValid) {
        for (const key of result.keys) keys.add(key);
        for (const item of result.items) items.add(item);
      }
      return result.isValid;
    };
    const must = (truth: boolean): void => {
      if (!truth) isValid = false;
    };
    const inPlace = (one: Json): Result => this.apply(one, value, context);
    const inside = (one: Json, part: Json): boolean =>
      this.apply(one, part, { ...context, above: [] }).isValid;
    const { dialect } = here;
    const said = (keyword: string): Json | undefined =>
      hasKeyword(dialect, keyword) ? schema[keyword] : undefined;

    if (typeof schema.$ref === 'string') {
      const { schema: target } = this.resolve(schema.$ref, here);
      must(take(inPlace(target)));
      if (isOld(dialect)) return { isValid, keys, items };
    }
    const named = said('$schema');
    const isNamed = typeof named === 'string' && dialectUris[named] === dialect;
    if (named !== undefined && !(isNamed && here.root === schema)) throw new Unclear();
    const dynamic = said('$dynamicRef');
    if (typeof dynamic === 'string')
      must(take(inPlace(this.dynamicTarget(dynamic, here, context))));
    const recursive = said('$recursiveRef');
    if (recursive !== undefined) {
      if (recursive !== '#') throw new Unclear();
      const outer = context.scope.find(isRecursive);
      must(take(inPlace(isRecursive(here) ? (outer?.root ?? here.root) : here.root)));
    }

    must(passesScalars(said, value, dialect, context.readings));
    for (const one of listOf(said('allOf'))) must(take(inPlace(one)));
    const anyOf = said('anyOf');
    if (anyOf !== undefined) must(listOf(anyOf).filter((one) => take(inPlace(one))).length > 0);
    const oneOf = said('oneOf');
    if (oneOf !== undefined) {
      const results = listOf(oneOf).map(inPlace);
      const valid = results.filter((result) => result.isValid);
      must(valid.length === 1);
      for (const result of valid) take(result);
    }
    const not = said('not');
    if (not !== undefined) must(!inPlace(not).isValid);
    const condition = said('if');
    if (condition !== undefined) {
      const branch = said(take(inPlace(condition)) ? 'then' : 'else');
      if (branch !== undefined) must(take(inPlace(branch)));
    }

    if (Array.isArray(value)) {
      must(passesArray(said, value, { inside, items, dialect, readings: context.readings }));
    }
    if (isJsonObject(value)) {
      const object = value;
      const depends = (keyword: string): void => {
        for (const [key, needs] of Object.entries(objectOf(said(keyword)))) {
          if (!Object.hasOwn(object, key)) continue;
          if (Array.isArray(needs)) {
            must(needs.every((name) => Object.hasOwn(object, String(name))));
          } else must(take(inPlace(needs)));
        }
      };
      const isPast = hasKeyword(dialect, 'dependentRequired');
      if (!isPast || context.readings.obeysDependencies) depends('dependencies');
      depends('dependentRequired');
      depends('dependentSchemas');
      must(passesObject(said, value, { inside, keys }));
    }
    return isValid ? { isValid, keys, items } : failed;
  }

  private dynamicTarget(reference: string, here: Resource, context: Context): Json {
    const { schema } = this.resolve(reference, here);
    const name = reference.slice(reference.indexOf('#') + 1);
    if (!reference.includes('#') || !isJsonObject(schema)) return schema;
    if (schema.$dynamicAnchor !== name) return schema;
    for (const resource of context.scope) {
      const target = resource.dynamic.get(name);
      if (target === undefined) continue;
      if (resource.anchors.get(name) === 'twice') throw new Unclear();
      return target;
    }
    return schema;
  }
}

/** Whether a resource says that it is recursive, in a dialect that knows what that is. */
function isRecursive({ root, dialect }: Resource): boolean {
  if (!hasKeyword(dialect, '$recursiveAnchor')) return false;
  return isJsonObject(root) && root.$recursiveAnchor === true;
}

function passesScalars(
  said: (keyword: string) => Json | undefined,
  value: Json,
  dialect: string,
  readings: Readings,
): boolean {
  const type = said('type');
  if (type !== undefined) {
    const names = Array.isArray(type) ? type : [type];
    const isNull = value === null && said('nullable') === true;
    if (!isNull && !names.some((name) => isOfType(name, value, dialect, readings))) return false;
  }
  const list = said('enum');
  if (list !== undefined && !listOf(list).some((one) => isSame(one, value))) return false;
  const only = said('const');
  if (only !== undefined && !isSame(only, value)) return false;
  if (isNumber(value) && !passesNumber(said, value, dialect)) return false;
  if (typeof value === 'string') {
    const { length } = [...value];
    if (!isSizeWithin(length, said('minLength'), said('maxLength'))) return false;
    const pattern = said('pattern');
    if (pattern !== undefined && !new RegExp(String(pattern), 'u').test(value)) return false;
  }
  return true;
}

function passesNumber(
  said: (keyword: string) => Json | undefined,
  value: JsonNumber,
  dialect: string,
): boolean {
  const order = (keyword: string): bigint | undefined => {
    const bound = said(keyword);
    if (bound !== undefined && !isNumber(bound)) throw new Unclear();
    return bound === undefined ? undefined : amountOf(value) - amountOf(bound);
  };
  const [low, high] = [order('minimum'), order('maximum')];
  if (low !== undefined && low < 0n) return false;
  if (high !== undefined && high > 0n) return false;
  if (isFirst(dialect)) {
    if (said('exclusiveMinimum') === true && low === 0n) return false;
    if (said('exclusiveMaximum') === true && high === 0n) return false;
  } else {
    const [above, below] = [order('exclusiveMinimum'), order('exclusiveMaximum')];
    if (above !== undefined && above <= 0n) return false;
    if (below !== undefined && below >= 0n) return false;
  }
  const step = said('multipleOf');
  if (step === undefined) return true;
  if (!isNumber(step)) throw new Unclear();
  return amountOf(value) % amountOf(step) === 0n;
}

function isOfType(name: Json, value: Json, dialect: string, readings: Readings): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'number':
      return isNumber(value);
    case 'integer':
      if (isFirst(dialect) && readings.writesFractions) return false;
      return isNumber(value) && isWhole(value);
    case 'boolean':
    case 'string':
      return typeof value === name;
    default:
      throw new Unclear();
  }
}

function passesArray(
  said: (keyword: string) => Json | undefined,
  list: readonly Json[],
  how: {
    readonly inside: (schema: Json, part: Json) => boolean;
    readonly items: Set<number>;
    readonly dialect: string;
    readonly readings: Readings;
  },
): boolean {
  const { inside, items, dialect, readings } = how;
  let isValid = true;
  const apply = (schema: Json, index: number): void => {
    items.add(index);
    if (!inside(schema, list[index] ?? null)) isValid = false;
  };
  if (!isSizeWithin(list.length, said('minItems'), said('maxItems'))) return false;
  const isUnique = said('uniqueItems') === true;
  if (isUnique && list.some((one, at) => list.slice(0, at).some((other) => isSame(one, other)))) {
    return false;
  }
  const own = said('items');
  const isListed = Array.isArray(own) && hasKeyword(dialect, 'additionalItems');
  if (Array.isArray(own) && !isListed) throw new Unclear();
  const prefix = isListed ? own : listOf(said('prefixItems'));
  const rest = isListed ? said('additionalItems') : own;
  for (const [index] of list.entries()) {
    const schema = prefix[index] ?? rest;
    if (schema !== undefined) apply(schema, index);
  }
  const contains = said('contains');
  if (contains !== undefined) {
    const matching = list.flatMap((item, index) => (inside(contains, item) ? [index] : []));
    const [least = 1, most] = [said('minContains'), said('maxContains')];
    if (!isSizeWithin(matching.length, least, most)) return false;
    const is19 = dialect === '2019-09';
    const evaluates = is19 ? readings.containsEvaluates : 'matching';
    if (evaluates === 'matching') for (const index of matching) items.add(index);
    if (evaluates === 'all') for (const index of list.keys()) items.add(index);
  }
  const left = said('unevaluatedItems');
  if (left !== undefined) {
    for (const index of list.keys()) if (!items.has(index)) apply(left, index);
  }
  return isValid;
}

function passesObject(
  said: (keyword: string) => Json | undefined,
  object: JsonObject,
  how: {
    readonly inside: (schema: Json, part: Json) => boolean;
    readonly keys: Set<string>;
  },
): boolean {
  const { inside, keys } = how;
  const names = Object.keys(object);
  let isValid = true;
  const apply = (schema: Json, key: string): void => {
    keys.add(key);
    if (!inside(schema, object[key] ?? null)) isValid = false;
  };
  if (!isSizeWithin(names.length, said('minProperties'), said('maxProperties'))) return false;
  if (!listOf(said('required')).every((name) => Object.hasOwn(object, String(name)))) return false;
  const [properties, patterns] = [
    objectOf(said('properties')),
    objectOf(said('patternProperties')),
  ];
  const [propertyNames, additional] = [said('propertyNames'), said('additionalProperties')];
  for (const key of names) {
    if (propertyNames !== undefined && !inside(propertyNames, key)) return false;
    const own = Object.hasOwn(properties, key) ? [properties[key] ?? null] : [];
    const found = Object.keys(patterns).filter((source) => new RegExp(source, 'u').test(key));
    const schemas = [...own, ...found.map((source) => patterns[source] ?? null)];
    for (const schema of schemas) apply(schema, key);
    if (schemas.length === 0 && additional !== undefined) apply(additional, key);
  }
  const left = said('unevaluatedProperties');
  if (left !== undefined) for (const key of names) if (!keys.has(key)) apply(left, key);
  return isValid;
}

function isSizeWithin(size: number, least: Json | undefined, most: Json | undefined): boolean {
  if (least !== undefined && !isNumber(least)) throw new Unclear();
  if (most !== undefined && !isNumber(most)) throw new Unclear();
  if (least !== undefined && amountOf(size) < amountOf(least)) return false;
  return most === undefined || amountOf(size) <= amountOf(most);
}

type JsonNumber = number | ExactNumber;

function isNumber(value: Json): value is JsonNumber {
  return typeof value === 'number' || isExactNumber(value);
}

function listOf(list: Json | undefined): readonly Json[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw new Unclear();
  return list;
}

function objectOf(object: Json | undefined): JsonObject {
  if (object === undefined) return {};
  if (!isJsonObject(object)) throw new Unclear();
  return object;
}

function isSame(a: Json, b: Json): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    const others = b;
    return a.every((one: Json, index: number) => isSame(one, others[index] ?? null));
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    return names.every(
      (name) => Object.hasOwn(b, name) && isSame(a[name] ?? null, b[name] ?? null),
    );
  }
  if (isNumber(a) && isNumber(b)) return amountOf(a) === amountOf(b);
  return a === b;
}
