// Makes self-contained schemas from the parts of a document. Each schema of the document is
// rewritten at most once, into `#/$defs/...`, and shared by every operation that reaches it, so
// 1,200 bundles of a 12 MB document cost little more than the document itself. Nothing is inlined,
// so cycles remain cycles.

import type { Dialect } from '../../schema/dialects.ts';
import { holdingOf, ignoresRefSiblings, keywordsOf } from '../../schema/keywords.ts';
import { parseShared, type SharedDocument } from '../../schema/parse-schema.ts';
import { idOf, mentionsNames, type Standing, standingBelow } from '../../schema/places.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { flagOf, kindOf, objectAt, textAt } from '../read-json.ts';
import { hasName } from './by-pointer.ts';
import {
  broken,
  findByTokens,
  outside,
  pointerTokens,
  type ReferenceProblem,
  toPointer,
} from './openapi-document.ts';
import { namesOtherDialect } from './schema-places.ts';

/** A schema with rewritten references, and the names that it refers to directly. */
export interface BundledSchema {
  readonly schema: Json;
  /** Names in `$defs`. */
  readonly refs: ReadonlySet<string>;
  readonly problems: readonly ReferenceProblem[];
  /** Whether it has an id, or a reference by name: these find each other in the bundle. */
  readonly isByName: boolean;
  readonly hasNames: boolean;
}

export interface Bundler {
  /** Rewrites a schema of the document for a bundle. */
  readonly read: (raw: Json) => BundledSchema;
  /** Everything that the schemas reach, for `$defs`, sorted by name. */
  readonly collect: (roots: readonly BundledSchema[]) => {
    readonly defs: JsonObject;
    readonly problems: readonly ReferenceProblem[];
  };
}

/** @example createBundler(document, 'openapi-3.0').read(media.schema) */
export function createBundler(
  document: JsonObject,
  dialect: Dialect,
  /** The keyword for shared schemas. */
  holder: '$defs' | 'definitions' = '$defs',
  /** The schema in what a reference leads to. */
  schemaIn: (raw: Json) => Json = (raw) => raw,
): Bundler {
  const schemas = new Map<Json, BundledSchema>();
  const definitions = new Map<string, BundledSchema>();
  const names = new Map<string, readonly string[]>();
  let called: readonly string[] | null = null;
  const findNamed = () => {
    called ??= namedComponents(document, dialect).map((name) =>
      nameFor(['components', 'schemas', name], names),
    );
    return called;
  };
  const findLost = createLostFinder(dialect, holder);
  const read = (raw: Json): BundledSchema => {
    const known = schemas.get(raw);
    if (known !== undefined) return known;
    const reading: Reading = {
      ...{ dialect, holder, names, findNamed },
      ...{ refs: new Set<string>(), problems: [], isByName: false },
    };
    const schema = rewriteSchema(raw, reading, 0);
    const { refs, problems, isByName } = reading;
    const hasNames = hasName(schema) || mentionsNames(schema, dialect);
    const made = { schema, refs, problems, isByName, hasNames };
    if (typeof raw === 'object') schemas.set(raw, made);
    return made;
  };
  const definitionOf = (name: string): BundledSchema => {
    const known = definitions.get(name);
    if (known !== undefined) return known;
    const tokens = names.get(name) ?? [];
    const raw = findByTokens(document, tokens);
    const made =
      raw === undefined
        ? { ...nothing, problems: [broken(toPointer(tokens))] }
        : read(schemaIn(raw));
    definitions.set(name, made);
    return made;
  };
  const collect: Bundler['collect'] = (roots) => {
    const { definitions, problems, isByName } = collectReachable(roots, definitionOf, findNamed);
    const defs = Object.fromEntries(definitions.map(([name, { schema }]) => [name, schema]));
    return { defs, problems: isByName ? [...problems, ...findLost(definitions, roots)] : problems };
  };
  return { read, collect };
}

const nothing: BundledSchema = {
  ...{ schema: {}, refs: new Set<string>(), problems: [] },
  ...{ isByName: false, hasNames: false },
};

function collectReachable(
  roots: readonly BundledSchema[],
  definitionOf: (name: string) => BundledSchema,
  findNamed: () => readonly string[],
) {
  const reached = new Map<string, BundledSchema>();
  const problems = new Set<ReferenceProblem>();
  let isByName = false;
  const pending = [...roots];
  const reach = (name: string) => {
    if (reached.has(name)) return;
    const definition = definitionOf(name);
    reached.set(name, definition);
    pending.push(definition);
  };
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const problem of next.problems) problems.add(problem);
    for (const name of next.refs) reach(name);
    if (isByName || !next.isByName) continue;
    isByName = true;
    // What a name leads to may depend on the way to it, so all that have one are included.
    for (const name of findNamed()) reach(name);
  }
  const definitions = [...reached].sort(([a], [b]) => (a < b ? -1 : 1));
  return { definitions, problems: [...problems], isByName };
}

interface Reading {
  readonly dialect: Dialect;
  readonly holder: '$defs' | 'definitions';
  /** The location in the document for each name in `$defs`. */
  readonly names: Map<string, readonly string[]>;
  readonly findNamed: () => readonly string[];
  readonly refs: Set<string>;
  readonly problems: ReferenceProblem[];
  isByName: boolean;
}

/** Documentation that is not part of the contract, and half of a large document. */
const documentation: ReadonlySet<string> = new Set(['example', 'examples', 'externalDocs', 'xml']);

/** The deepest schema that is read; the registry's limit is 64. */
const maxSchemaDepth = 256;

function rewriteSchema(raw: Json, reading: Reading, depth: number): Json {
  if (typeof raw === 'boolean') return raw;
  if (!isJsonObject(raw)) {
    const message = `A schema must be an object or a boolean, not ${kindOf(raw)}.`;
    reading.problems.push({ code: 'UNREADABLE_ITEM', message });
    return {};
  }
  if (depth > maxSchemaDepth) {
    const message = `A schema is nested deeper than ${maxSchemaDepth} levels. Flatten it.`;
    reading.problems.push({ code: 'TOO_LARGE', message });
    return {};
  }
  const isNamed = idOf(raw, reading.dialect) !== undefined;
  if (depth === 0 && !isNamed && namesOtherDialect(raw, reading.dialect)) {
    const message = `A schema is in a dialect of its own, $schema ${JSON.stringify(raw.$schema)}. Write it in that of the document.`;
    reading.problems.push({ code: 'UNREADABLE_ITEM', message });
    return {};
  }
  const reference = textAt(raw, '$ref');
  const isOld = ignoresRefSiblings(reading.dialect);
  if (reference !== undefined && isOld) return { $ref: rewriteReference(reference, reading) };
  // References within a schema that has its own id stay unchanged.
  if (isNamed && !isOld) {
    reading.isByName = true;
    return raw;
  }
  return rewriteMembers(raw, reading, depth);
}

/** Returns the same object if nothing changes, because most of a document has no references. */
function rewriteMembers(raw: JsonObject, reading: Reading, depth: number): JsonObject {
  let isChanged = false;
  const members: (readonly [string, Json])[] = [];
  for (const key of Object.keys(raw)) {
    const value = raw[key] ?? null;
    if (key.startsWith('x-') || documentation.has(key)) {
      isChanged = true;
      continue;
    }
    const rewritten = rewriteMember(key, value, reading, depth);
    if (rewritten !== value) isChanged = true;
    members.push([key, rewritten]);
  }
  return isChanged ? Object.fromEntries(members) : raw;
}

/** What is no keyword of the dialect is data, and stays as it is. */
function rewriteMember(key: string, value: Json, reading: Reading, depth: number): Json {
  if (key === 'discriminator') return rewriteDiscriminator(value, reading);
  const keyword = keywordsOf(reading.dialect).get(key);
  if (keyword?.shape === 'flag') return flagOf(value);
  if (keyword?.use === 'refers') {
    return typeof value === 'string' ? rewriteReference(value, reading) : value;
  }
  const one = (schema: Json) => rewriteSchema(schema, reading, depth + 1);
  switch (holdingOf(reading.dialect, key, Array.isArray(value))) {
    case 'schema':
      return one(value);
    case 'schemas':
      return Array.isArray(value) ? mapEntries(value, one) : value;
    case 'schema_map':
      // `dependencies` may list names in place of a schema.
      return isJsonObject(value)
        ? mapMembers(value, (member) =>
            key === 'dependencies' && Array.isArray(member) ? member : one(member),
          )
        : value;
    case 'components':
    case undefined:
      return value;
  }
}

function mapMembers(value: JsonObject, map: (member: Json) => Json): JsonObject {
  let isChanged = false;
  const members = Object.keys(value).map((key) => {
    const member = value[key] ?? null;
    const mapped = map(member);
    if (mapped !== member) isChanged = true;
    return [key, mapped] as const;
  });
  return isChanged ? Object.fromEntries(members) : value;
}

function mapEntries(value: readonly Json[], map: (entry: Json) => Json): readonly Json[] {
  const mapped = value.map(map);
  return mapped.some((entry, index) => entry !== value[index]) ? mapped : value;
}

/** A discriminator refers to schemas by reference or by bare name. */
function rewriteDiscriminator(value: Json, reading: Reading): Json {
  const mapping = objectAt(value, 'mapping');
  if (mapping === undefined || !isJsonObject(value)) return value;
  const rewritten = mapMembers(mapping, (target) =>
    typeof target === 'string' && target.startsWith('#/')
      ? rewriteReference(target, reading)
      : target,
  );
  return rewritten === mapping ? value : { ...value, mapping: rewritten };
}

function rewriteReference(reference: string, reading: Reading): string {
  const tokens = pointerTokens(reference);
  if (tokens === null) return keepNamedReference(reference, reading);
  const name = nameFor(tokens, reading.names);
  reading.refs.add(name);
  return toPointer([reading.holder, name]);
}

/** No two places have one name. */
function nameFor(tokens: readonly string[], names: Map<string, readonly string[]>): string {
  const pointer = toPointer(tokens);
  let name = definitionName(tokens);
  for (let known = names.get(name); known !== undefined; known = names.get(name)) {
    if (toPointer(known) === pointer) return name;
    name = name.endsWith(pointer) ? `#${name}` : pointer;
  }
  names.set(name, tokens);
  return name;
}

/** A schema component keeps its name; any other location is named by its pointer. */
function definitionName(tokens: readonly string[]): string {
  const [section, kind, name] = tokens;
  const isComponent = section === 'components' && kind === 'schemas' && tokens.length === 3;
  if (isComponent && name !== undefined) return name;
  // Other files stand below this key, by their path.
  if (section === 'x-files') return tokens.slice(1).join('/');
  // In Swagger 2.0, schemas are in definitions.
  const isDefinition = section === 'definitions' && tokens.length === 2;
  return isDefinition && kind !== undefined ? kind : `/${tokens.join('/')}`;
}

/** A reference by `$id` or `$anchor` also works in a bundle, if its target is included. */
function keepNamedReference(reference: string, reading: Reading): string {
  if (reading.findNamed().length === 0) reading.problems.push(lost(reference));
  else reading.isByName = true;
  return reference;
}

function lost(reference: string): ReferenceProblem {
  return reference.startsWith('#') ? broken(reference) : outside(reference);
}

/** The components that have a name, or have something inside that has one. */
function namedComponents(document: JsonObject, dialect: Dialect): readonly string[] {
  const schemas = objectAt(objectAt(document, 'components'), 'schemas') ?? {};
  return Object.keys(schemas).filter((name) => mentionsNames(schemas[name] ?? null, dialect));
}

/** The parts of a bundle that have names, and what the references of each part are lost in among them. */
interface Named {
  readonly json: JsonObject;
  readonly document: SharedDocument;
  /** Where the parts with names stand. */
  readonly places: ReadonlyMap<BundledSchema, readonly string[]>;
  readonly lost: Map<BundledSchema, readonly string[]>;
}

type Definitions = readonly (readonly [string, BundledSchema])[];

/**
 * Finds the references of a bundle that have no target in it, or two. Only parts with names can be such targets.
 * Most bundles of one document share these parts, so each part is read once for all bundles.
 */
function createLostFinder(dialect: Dialect, holder: string) {
  const known = new Map<string, Named>();
  const namedAmong = (definitions: Definitions, roots: readonly BundledSchema[]): Named => {
    const held = definitions.filter(([, { hasNames }]) => hasNames);
    const own = roots.filter(({ hasNames }) => hasNames);
    const key = JSON.stringify(held.map(([name]) => name));
    const found = own.length === 0 ? known.get(key) : undefined;
    if (found !== undefined) return found;
    const json = {
      [holder]: Object.fromEntries(held.map(([name, { schema }]) => [name, schema])),
      allOf: own.map(({ schema }) => schema),
    };
    const places = new Map([
      ...own.map((part, at) => [part, ['allOf', String(at)]] as const),
      ...held.map(([name, part]) => [part, [holder, name]] as const),
    ]);
    const made = { json, document: parseShared(json, dialect), places, lost: new Map() };
    if (own.length === 0) known.set(key, made);
    return made;
  };
  return (definitions: Definitions, roots: readonly BundledSchema[]) => {
    const named = namedAmong(definitions, roots);
    const found = new Set<string>();
    for (const part of [...roots, ...definitions.map(([, definition]) => definition)]) {
      const own = named.lost.get(part) ?? lostIn(part, named, holder);
      named.lost.set(part, own);
      for (const reference of own) found.add(reference);
    }
    return [...found].map(lost);
  };
}

function lostIn(part: BundledSchema, named: Named, holder: string): readonly string[] {
  const { document, json } = named;
  const start = named.places.get(part) ?? ['anyOf', '0'];
  // Names are known by now, so a part without any may take the place of the one before.
  document.enter({ ...json, anyOf: named.places.has(part) ? [] : [part.schema] });
  const { dialect, resource } = document.root;
  const isElsewhere = (from: SchemaNode, reference: string) => {
    const [kept, name = ''] = pointerTokens(reference) ?? [];
    // What a bundle holds without names is told if it is not there.
    return (
      from.resource === resource &&
      kept === holder &&
      findByTokens(json, [holder, name]) === undefined
    );
  };
  const found = new Set<string>();
  const pending: Part[] = [{ raw: part.schema, steps: start, standing: 'schema', dialect }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { raw, steps, standing } = next;
    if (typeof raw !== 'object' || raw === null || standing === 'data') continue;
    const node = standing === 'schema' ? document.nodeBelow(steps) : undefined;
    const own = node?.dialect ?? next.dialect;
    for (const [key, member] of Object.entries(raw)) {
      const step = Array.isArray(raw) ? Number(key) : key;
      const below = standingBelow(standing, raw, step, { dialect: own, isRoot: false });
      pending.push({ raw: member, steps: [...steps, step], standing: below, dialect: own });
      const isReference = node !== undefined && keywordsOf(own).get(key)?.use === 'refers';
      if (!isReference || typeof member !== 'string' || isElsewhere(node, member)) continue;
      if ('code' in document.resolve(node, member)) found.add(member);
    }
  }
  return [...found];
}

interface Part {
  readonly raw: Json;
  readonly steps: readonly (string | number)[];
  readonly standing: Standing;
  readonly dialect: Dialect;
}
