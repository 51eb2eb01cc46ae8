// Schemas of every keyword of every dialect, also where it is none: names, references of every kind,
// and what only looks like them. All dialects have the same share.

import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { hasKeyword, keywordNames } from './evaluator.ts';
import { dialects } from './schemas.ts';
import { type Random, randomFrom } from './values.ts';

export interface AnyPair {
  readonly dialect: Dialect;
  readonly a: Json;
  readonly b: Json;
}

/** The pair of a number: the same one in every run. */
export function anyPair(seed: number): AnyPair {
  const random = randomFrom(seed);
  const dialect = dialects[seed % dialects.length] ?? '2020-12';
  const making = new Making(dialect, random);
  // In a third of them names and references meet, with little else.
  const isNamed = random() < 0.35;
  const first = isNamed ? making.namedDocument() : making.document();
  const other = isNamed ? making.leaf() : making.document();
  const second = random() < (isNamed ? 0.5 : 0.8) ? making.changed(first) : other;
  const [a, b] = random() < 0.5 ? [first, second] : [second, first];
  // No two places share an object, as in what is read from a text.
  return JSON.parse(JSON.stringify({ dialect, a, b }));
}

type MutableObject = Record<string, Json>;

const maxDepth = 3;
const patterns = ['^a', 'b$', '^.$', 'a'];
const values: readonly Json[] = [null, true, 0, 1, 2, 0.5, '', 'a', 'ab', [], [1], {}, { a: 1 }];
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const names = ['x', 'y', 'n'];
const ids = ['http://x.test/r', 'http://x.test/s'];

class Making {
  private readonly dialect: Dialect;
  private readonly random: Random;
  private readonly own: readonly string[];

  constructor(dialect: Dialect, random: Random) {
    this.dialect = dialect;
    this.random = random;
    this.own = keywordNames.filter((name) => hasKeyword(dialect, name) && name !== '$schema');
  }

  document(): Json {
    const root = this.schema(0);
    if (!isJsonObject(root)) return root;
    const kept: MutableObject = { ...root };
    const holder = this.chance(0.8) ? this.holder : this.oneOf(['$defs', 'definitions']);
    kept[holder] = { a: this.schema(1), b: this.schema(1), c: this.schema(2) };
    if (this.chance(0.1)) kept['x-data'] = { a: this.schema(2) };
    if (this.chance(0.1)) kept.components = { schemas: { a: this.schema(2) } };
    return kept;
  }

  /** One or two references, and schemas that bear names: some where no keyword of the dialect is. */
  namedDocument(): Json {
    const refers = ['$ref', '$ref', '$dynamicRef', '$recursiveRef'];
    const root: MutableObject = {};
    for (let at = 0; at < 2; at++) {
      const name = this.oneOf(refers);
      root[name] = name === '$recursiveRef' ? '#' : this.target();
    }
    const named = (): Json => ({ ...this.leaf(), ...this.nameKeyword() });
    const hidden = (): Json => {
      const name = this.oneOf([...keywordNames, 'x-data', 'components']);
      const shape = this.oneOf([() => named(), () => [named()], () => ({ a: named() })]);
      return { [name]: shape() };
    };
    const holder = this.chance(0.85) ? this.holder : this.oneOf(['$defs', 'definitions']);
    const kept: Json = { a: named(), b: this.chance(0.5) ? hidden() : this.leaf(), c: hidden() };
    const body: JsonObject = this.chance(0.5)
      ? root
      : this.oneOf([
          { allOf: [root] },
          { properties: { a: root } },
          { items: root },
          { $ref: `#/${holder}/d` },
        ]);
    const names = this.chance(0.3) ? this.nameKeyword() : {};
    return { ...names, ...body, [holder]: this.chance(0.5) ? { ...kept, d: root } : kept };
  }

  /** Little enough to be told from others by a few values. */
  leaf(): JsonObject {
    return this.oneOf<JsonObject>([
      ...[
        { type: 'string' },
        { type: 'object' },
        { minLength: 2 },
        { type: 'integer' },
        { minimum: 1 },
      ],
      ...[{ required: ['a'] }, { maxItems: 1 }, { properties: { a: { type: 'string' } } }, {}],
    ]);
  }

  private nameKeyword(): JsonObject {
    const name = this.oneOf([
      '$id',
      'id',
      '$anchor',
      '$anchor',
      '$dynamicAnchor',
      '$recursiveAnchor',
    ]);
    return { [name]: this.valueOf(name, 2) };
  }

  /** The same with one or two of its schemas changed. */
  changed(document: Json): Json {
    let schema = this.withChange(document);
    if (this.chance(0.4)) schema = this.withChange(schema);
    return schema;
  }

  private get holder(): string {
    return hasKeyword(this.dialect, '$defs') || this.dialect === 'openapi-3.0'
      ? '$defs'
      : 'definitions';
  }

  private withChange(document: Json): Json {
    const objects: JsonObject[] = [];
    const visit = (at: Json): void => {
      if (Array.isArray(at)) for (const one of at) visit(one);
      else if (isJsonObject(at)) {
        objects.push(at);
        for (const one of Object.values(at)) visit(one);
      }
    };
    visit(document);
    const chosen = this.oneOf(objects.length === 0 ? [{}] : objects);
    const copy = (at: Json): Json => {
      if (at === chosen) return this.change(at);
      if (Array.isArray(at)) return at.map(copy);
      if (!isJsonObject(at)) return at;
      return Object.fromEntries(Object.entries(at).map(([key, one]) => [key, copy(one)]));
    };
    return copy(document);
  }

  private change(at: JsonObject): Json {
    const keys = Object.keys(at);
    const how = this.random();
    if (how < 0.45 || keys.length === 0) return { ...at, ...this.keyword(1) };
    const key = this.oneOf(keys);
    if (how < 0.75) return Object.fromEntries(Object.entries(at).filter(([name]) => name !== key));
    return keywordNames.includes(key) ? { ...at, [key]: this.valueOf(key, 2) } : at;
  }

  private schema(depth: number): Json {
    if (depth > 0 && this.dialect !== 'draft-04' && this.dialect !== 'openapi-3.0') {
      if (this.chance(0.08)) return this.chance(0.4);
    }
    const schema: MutableObject = {};
    const count = depth >= maxDepth ? 1 : 1 + Math.floor(this.random() * 3);
    for (let at = 0; at < count; at++) Object.assign(schema, this.keyword(depth));
    return schema;
  }

  private keyword(depth: number): JsonObject {
    // References are what dialects differ in most.
    if (this.chance(0.2)) {
      const name = this.oneOf(['$ref', '$ref', '$dynamicRef', '$recursiveRef']);
      return { [name]: this.valueOf(name, depth) };
    }
    if (this.chance(0.12)) return this.nameKeyword();
    const name = this.oneOf(
      this.chance(0.8) ? this.own : keywordNames.filter((one) => one !== '$schema'),
    );
    return { [name]: this.valueOf(name, depth) };
  }

  private valueOf(name: string, depth: number): Json {
    const schema = (): Json => this.schema(depth + 1);
    const number = (): Json => this.oneOf([0, 1, 2, 0.5, -1]);
    const size = (): Json => Math.floor(this.random() * 3);
    const list = (): Json => Array.from({ length: 1 + Math.floor(this.random() * 2) }, schema);
    const key = (): string => this.oneOf(['a', 'b', 'c']);
    const map = (of: () => Json, keyOf = key): Json =>
      Object.fromEntries(
        Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => [keyOf(), of()]),
      );
    const keys = (): Json => [...new Set([key(), key()])];
    const isFirst = this.dialect === 'draft-04' || this.dialect === 'openapi-3.0';
    switch (name) {
      case '$ref':
        return this.target();
      case '$dynamicRef':
        return this.chance(0.6) ? '#n' : this.target();
      case '$recursiveRef':
        return '#';
      case '$id':
      case 'id':
        return this.chance(0.4) ? `#${this.oneOf(names)}` : this.oneOf(ids);
      case '$anchor':
        return this.oneOf(names);
      case '$dynamicAnchor':
        return this.chance(0.8) ? 'n' : this.oneOf(names);
      case '$recursiveAnchor':
      case 'nullable':
      case 'uniqueItems':
        return true;
      case 'type':
        return this.chance(0.8) ? this.oneOf(types) : [...new Set([this.oneOf(types), 'string'])];
      case 'enum':
        return [this.oneOf(values), this.oneOf(values)];
      case 'const':
        return this.oneOf(values);
      case 'multipleOf':
        return this.oneOf([1, 2, 0.5]);
      case 'minimum':
      case 'maximum':
        return number();
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return isFirst ? true : number();
      case 'pattern':
        return this.oneOf(patterns);
      case 'required':
        return keys();
      case 'dependentRequired':
        return map(keys);
      case 'dependencies':
        return map(() => (this.chance(0.5) ? keys() : schema()));
      case 'patternProperties':
        return map(schema, () => this.oneOf(patterns));
      case 'properties':
      case 'dependentSchemas':
      case '$defs':
      case 'definitions':
        return map(schema);
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
      case 'prefixItems':
        return list();
      case 'items':
        return hasKeyword(this.dialect, 'additionalItems') && this.chance(0.4) ? list() : schema();
      case 'additionalProperties':
      case 'additionalItems':
      case 'unevaluatedProperties':
      case 'unevaluatedItems':
        return this.chance(0.5) ? false : schema();
      default:
        return /^(min|max)[A-Z]/.test(name) ? size() : schema();
    }
  }

  private target(): string {
    const { holder } = this;
    if (this.chance(0.6)) return `#/${holder}/${this.oneOf(['a', 'b', 'c'])}`;
    return this.oneOf([
      ...names.map((name) => `#${name}`),
      ...['#', ...ids, `${ids[0]}#x`, `${ids[1]}#n`, `${ids[0]}#/${holder}/a`],
      ...['#/x-data/a', '#/components/schemas/a', '#/definitions/a', '#/properties/a'],
    ]);
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }

  private oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T;
  }
}
