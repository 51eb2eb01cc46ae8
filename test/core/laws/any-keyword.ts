// Schemas of every keyword of every dialect, also where it is none: names, references of every kind,
// and what only looks like them. All dialects have the same share.

import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import { dialectUris, hasKeyword, keywordNames } from './evaluator.ts';
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
  const { first, other, changes } = making.material();
  const second = random() < changes ? making.changed(first) : other;
  const [a, b] = random() < 0.5 ? [first, second] : [second, first];
  return { dialect, a: unshared(a), b: unshared(b) };
}

/** A copy in which no two places share an object, as in what is read from a text. */
export function unshared(at: Json): Json {
  if (Array.isArray(at)) return at.map(unshared);
  if (!isJsonObject(at)) return at;
  return Object.fromEntries(Object.entries(at).map(([key, one]) => [key, unshared(one)]));
}

type MutableObject = Record<string, Json>;

/** Stands for a reference until it is known what there is to refer to. */
const open = '?';

/** Something to refer to: a schema, or what only looks like one. */
interface NamedPlace {
  readonly schema: JsonObject;
  /** From the root of the document, as a pointer. */
  readonly steps: string;
  readonly name: string | undefined;
  readonly resource: { readonly root: JsonObject; readonly uri: string; readonly steps: string };
}

function placesOf(root: JsonObject): NamedPlace[] {
  const places: NamedPlace[] = [];
  const visit = (at: Json, steps: string, around: NamedPlace['resource']): void => {
    if (!isJsonObject(at)) return;
    const id = at.$id ?? at.id;
    const path = typeof id === 'string' ? id.split('#')[0] : undefined;
    const uri = path ? new URL(path, around.uri).href : undefined;
    const resource = uri === undefined ? around : { root: at, uri, steps };
    const name = [at.$anchor, at.$dynamicAnchor, String(id ?? '').split('#')[1]].find(
      (one) => typeof one === 'string' && one !== '',
    );
    const isSchema = /^$|\/(a|b|c|x-data)$/.test(steps);
    if (isSchema) {
      places.push({ schema: at, steps, name: name === undefined ? name : String(name), resource });
    }
    for (const [key, one] of Object.entries(at)) visit(one, `${steps}/${key}`, resource);
  };
  visit(root, '', { root, uri: 'http://document.test/document', steps: '' });
  return places;
}

/** Undefined where the target has no URI, or one that is below a document that has none. */
function relativeUri(from: string, to: string): string | undefined {
  const [base, target] = [new URL(from), new URL(to)];
  if (target.pathname === '/document') return undefined;
  if (base.host !== target.host) return target.host === 'document.test' ? undefined : to;
  return target.pathname;
}

const maxDepth = 3;
const patterns = ['^a', 'b$', '^.$', 'a'];
const values: readonly Json[] = [null, true, 0, 1, 2, 0.5, '', 'a', 'ab', [], [1], {}, { a: 1 }];
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const names = ['x', 'y', 'n'];
const ids = ['http://x.test/r', 'http://x.test/s'];
/** The same, some of them from where they stand. */
const idsBelow = [...ids, 'r', 's', './s', '/r', 's/t', '../s'];
/** What the engine knows without having it in the document, also where it has another dialect. */
const metaschemaReferences = ['draft-04', 'draft-06', 'draft-07'].flatMap((draft) => {
  const uri = `http://json-schema.org/${draft}/schema#`;
  return [uri, uri, `${uri}/definitions/stringArray`, `${uri}/properties/title`];
});
/** Numbers past what a double or the engine counts with, and two texts of one of them. */
const wideNumbers = ['1e2000', '10e1999', '1e2001', '-1e2000', '9007199254740993'];
const wideSizes = ['9007199254740992', '9007199254740993', '9223372036854775807', '1e2000'];

class Making {
  private readonly dialect: Dialect;
  private readonly random: Random;
  private readonly own: readonly string[];
  /** What most of the names in a document are said by, so that they meet. */
  private usualName: string | undefined;

  constructor(dialect: Dialect, random: Random) {
    this.dialect = dialect;
    this.random = random;
    this.own = keywordNames.filter((name) => hasKeyword(dialect, name) && name !== '$schema');
  }

  /** A schema, another that is not made from it, and how often the first changed is better. */
  material(): { readonly first: Json; readonly other: Json; readonly changes: number } {
    const how = this.random();
    // In more than half of them names, resources or numbers meet, with little else.
    if (how < 0.2) return { first: this.namedDocument(), other: this.leaf(), changes: 0.5 };
    if (how < 0.5) return this.scopedMaterial();
    if (how < 0.62) return { first: this.numeric(0), other: this.numeric(0), changes: 0.4 };
    return { first: this.document(), other: this.document(), changes: 0.8 };
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

  /** Beside it what a reference in it may lead to, where it should lead elsewhere. */
  private scopedMaterial(): ReturnType<Making['material']> {
    this.usualName = this.oneOf([
      '$dynamicAnchor',
      '$dynamicAnchor',
      '$recursiveAnchor',
      '$anchor',
    ]);
    const first = this.scopedDocument();
    const leaves = placesOf(first).map(({ schema }) => schema);
    const nameless = leaves.map((leaf) =>
      Object.fromEntries(Object.entries(leaf).filter(([name]) => !/^\$|id|^x-|^def/.test(name))),
    );
    return { first, other: this.oneOf(nameless), changes: 0.3 };
  }

  /** Resources within resources, each with a name of its own, that refer into each other. */
  private scopedDocument(): JsonObject {
    const resources = { a: this.resource(0), b: this.resource(0) };
    const body = this.chance(0.7) ? { $ref: open } : { allOf: [{ $ref: open }] };
    const root = this.withName(body, resources);
    return this.referring(root, placesOf(root));
  }

  /** A schema with others in it, one of which bears the name: it may be no schema at all. */
  private withName(body: JsonObject, resources: JsonObject): MutableObject {
    const named = (): JsonObject => ({ ...this.leaf(), ...this.name() });
    const data = this.chance(0.7) ? 'x-data' : this.oneOf(['const', 'default', ...keywordNames]);
    const kept = { ...resources, c: this.leaf() };
    const how = this.random();
    if (how < 0.4) return { ...body, [data]: named(), [this.holder]: kept };
    if (how < 0.8) return { ...body, [this.holder]: { ...kept, c: named() } };
    return { ...(how < 0.92 ? this.name() : {}), ...body, [this.holder]: kept };
  }

  private name(): JsonObject {
    const { usualName } = this;
    if (usualName === undefined || this.chance(0.2)) return this.nameKeyword();
    return { [usualName]: usualName === '$recursiveAnchor' ? true : 'n' };
  }

  private resource(depth: number): MutableObject {
    const isNew = this.chance(0.4);
    // The later ones differ in what is dynamic.
    const uri = this.oneOf(Object.keys(dialectUris).slice(this.chance(0.7) ? 3 : 0));
    const dialect = isNew ? (dialectUris[uri] ?? this.dialect) : this.dialect;
    const inside = new Making(dialect, this.random);
    inside.usualName = this.usualName;
    const resource: MutableObject = isNew ? { $schema: uri } : {};
    const id = dialect === 'draft-04' ? 'id' : '$id';
    if (this.chance(0.9)) resource[id] = this.oneOf(idsBelow);
    const isDeep = depth === 0 && this.chance(0.25);
    const inner: JsonObject = isDeep ? { a: inside.resource(1) } : { a: this.leaf() };
    return { ...resource, ...inside.withName(inside.scopedBody(), inner) };
  }

  /** What a resource says: little, or what its names lead to. */
  private scopedBody(): JsonObject {
    const how = this.random();
    if (how < 0.25) return this.leaf();
    if (how > 0.5 && hasKeyword(this.dialect, '$recursiveRef')) return { $recursiveRef: '#' };
    if (how > 0.5 && hasKeyword(this.dialect, '$dynamicRef')) return { $dynamicRef: '#n' };
    return { $ref: open };
  }

  /** The same with its references led somewhere: most to what is there. */
  private referring(at: JsonObject, places: readonly NamedPlace[], from = places[0]): JsonObject {
    const here = places.find(({ schema }) => schema === at) ?? from;
    const refer = (one: Json): Json => {
      if (one === open) return this.reference(places, here);
      if (Array.isArray(one)) return one.map(refer);
      return isJsonObject(one) ? this.referring(one, places, here) : one;
    };
    return Object.fromEntries(Object.entries(at).map(([key, one]) => [key, refer(one)]));
  }

  private reference(places: readonly NamedPlace[], from: NamedPlace | undefined): string {
    const starts = places.filter(({ schema, resource }) => schema === resource.root);
    const place = this.oneOf(this.chance(0.7) ? starts : places);
    const base = from?.resource ?? place.resource;
    const isWithin = place.resource.root === base.root;
    const name = this.oneOf([place.name, place.name, ...names]);
    const isByName = name !== undefined && this.chance(0.4);
    // From the root of the document a pointer goes past the ids on its way.
    if (base.steps === '' && this.chance(0.4)) return `#${place.steps}`;
    const fragment = isByName ? `#${name}` : `#${place.steps.slice(place.resource.steps.length)}`;
    if (isWithin && this.chance(0.7)) return fragment;
    const relative = relativeUri(base.uri, place.resource.uri);
    if (relative === undefined) return this.reference(places, from);
    return `${relative}${fragment === '#' && this.chance(0.5) ? '' : fragment}`;
  }

  /** Of numbers alone, in one of the places where a number may stand. */
  numeric(depth: number): JsonObject {
    const how = this.random();
    if (depth < 2 && how < 0.35) {
      const [inner, second] = [this.numeric(depth + 1), this.numeric(depth + 1)];
      return this.oneOf<JsonObject>([
        ...[{ not: inner }, { anyOf: [inner, second] }, { oneOf: [inner, second] }],
        ...[{ allOf: [inner, second] }, { items: inner }, { properties: { a: inner } }],
        ...[{ type: 'array', minItems: this.size(), items: inner }, { uniqueItems: true }],
        { type: 'object', additionalProperties: inner, maxProperties: this.size() },
      ]);
    }
    const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
    const others = ['enum', 'const', 'type', 'minItems', 'maxItems', 'maxLength', 'minLength'];
    const schema: MutableObject = this.chance(0.7)
      ? { type: this.oneOf(['number', 'number', 'integer']) }
      : {};
    for (let at = 0; at < (how < 0.7 ? 1 : 2); at++) {
      const name = this.oneOf(this.chance(0.7) ? bounds : others);
      schema[name] = name === 'type' ? 'integer' : this.valueOf(name, maxDepth);
    }
    return schema;
  }

  private number(of: readonly number[]): Json {
    if (this.chance(0.08)) return JSON.rawJSON(this.oneOf(wideNumbers));
    return this.spelled(this.oneOf(of));
  }

  private size(): Json {
    if (this.chance(0.03)) return JSON.rawJSON(this.oneOf(wideSizes));
    return this.spelled(Math.floor(this.random() * 3));
  }

  /** The same number in one of its texts. */
  private spelled(number: number): Json {
    if (!this.chance(0.15)) return number;
    const hundredfold = Math.round(number * 100);
    return JSON.rawJSON(
      this.oneOf([`${number.toFixed(1)}`, `${number.toFixed(2)}0`, `${hundredfold}e-2`]),
    );
  }

  /** Little enough to be told from others by a few values. */
  leaf(): JsonObject {
    return this.oneOf<JsonObject>([
      ...[
        { type: 'string' },
        { type: 'object' },
        { minLength: 2 },
        { type: 'integer' },
        { minimum: this.spelled(1) },
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
    const number = (): Json => this.number([0, 1, 2, 0.5, -1, 100]);
    const value = (): Json => {
      const one = this.oneOf(values);
      return typeof one === 'number' ? this.number([one, 100]) : one;
    };
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
        return this.chance(0.4) ? `#${this.oneOf(names)}` : this.oneOf(idsBelow);
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
        return [value(), value()];
      case 'const':
        return value();
      case 'multipleOf':
        return this.spelled(this.oneOf([1, 2, 0.5]));
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
        return /^(min|max)[A-Z]/.test(name) ? this.size() : schema();
    }
  }

  private target(): string {
    const { holder } = this;
    if (this.chance(0.03)) return this.oneOf(metaschemaReferences);
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
