// Makes self-contained schemas from the parts of a document. Each schema of the document is
// rewritten at most once, into `#/$defs/...`, and shared by every operation that reaches it, so
// 1,200 bundles of a 12 MB document cost little more than the document itself. Nothing is inlined,
// so cycles remain cycles.

import { type Dialect, dialectOfUri } from '../../schema/dialects.ts';
import { holdingOf, ignoresRefSiblings, keywordsOf } from '../../schema/keywords.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { kindOf, memberOf, objectAt, textAt } from '../read-json.ts';
import {
  broken,
  findByTokens,
  outside,
  pointerTokens,
  type ReferenceProblem,
  toPointer,
} from './openapi-document.ts';

/** A schema with rewritten references, and the names that it refers to directly. */
export interface BundledSchema {
  readonly schema: Json;
  /** Names in `$defs`. */
  readonly refs: ReadonlySet<string>;
  readonly problems: readonly ReferenceProblem[];
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
): Bundler {
  const schemas = new Map<Json, BundledSchema>();
  const definitions = new Map<string, BundledSchema>();
  const names = new Map<string, readonly string[]>();
  let index: NameIndex | null = null;
  const indexNames = () => {
    index ??= indexSchemaNames(document);
    return index;
  };
  const read = (raw: Json): BundledSchema => {
    const known = schemas.get(raw);
    if (known !== undefined) return known;
    const reading: Reading = { dialect, holder, names, indexNames, refs: new Set(), problems: [] };
    const schema = rewriteSchema(raw, reading, 0);
    const made = { schema, refs: reading.refs, problems: reading.problems };
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
        ? { schema: {}, refs: new Set<string>(), problems: [broken(toPointer(tokens))] }
        : read(raw);
    definitions.set(name, made);
    return made;
  };
  return { read, collect: (roots) => collectReachable(roots, definitionOf) };
}

function collectReachable(
  roots: readonly BundledSchema[],
  definitionOf: (name: string) => BundledSchema,
): { readonly defs: JsonObject; readonly problems: readonly ReferenceProblem[] } {
  const reached = new Map<string, Json>();
  const problems = new Set<ReferenceProblem>();
  const pending = [...roots];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const problem of next.problems) problems.add(problem);
    for (const name of next.refs) {
      if (reached.has(name)) continue;
      const definition = definitionOf(name);
      reached.set(name, definition.schema);
      pending.push(definition);
    }
  }
  const ordered = [...reached].sort(([a], [b]) => (a < b ? -1 : 1));
  return { defs: Object.fromEntries(ordered), problems: [...problems] };
}

interface Reading {
  readonly dialect: Dialect;
  readonly holder: '$defs' | 'definitions';
  /** The location in the document for each name in `$defs`. */
  readonly names: Map<string, readonly string[]>;
  readonly indexNames: () => NameIndex;
  readonly refs: Set<string>;
  readonly problems: ReferenceProblem[];
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
  if (depth === 0 && namesOtherDialect(raw, reading.dialect)) {
    const message = `A schema is in a dialect of its own, $schema ${JSON.stringify(raw.$schema)}. Write it in that of the document.`;
    reading.problems.push({ code: 'UNREADABLE_ITEM', message });
    return {};
  }
  const reference = textAt(raw, '$ref');
  const isOld = ignoresRefSiblings(reading.dialect);
  if (reference !== undefined && isOld) return { $ref: rewriteReference(reference, reading) };
  // References within a schema that has its own id stay unchanged.
  if (textAt(raw, '$id') !== undefined && !isOld) return raw;
  return rewriteMembers(raw, reading, depth);
}

/** The engine itself reads the dialect of a schema with an `$id`. Below the root of a schema, `$schema` has no effect. */
function namesOtherDialect(raw: JsonObject, dialect: Dialect): boolean {
  const uri = textAt(raw, '$schema');
  const isNamed = keywordsOf(dialect).get('$schema')?.shape === 'dialect';
  if (uri === undefined || !isNamed || textAt(raw, '$id') !== undefined) return false;
  // OpenAPI 3.1 and 3.2 add annotations to 2020-12, and no constraints.
  const isOfOpenApi = /^https:\/\/spec\.openapis\.org\/oas\/3\.[12]\/dialect\//.test(uri);
  const [own, around] = [isOfOpenApi ? 'openapi-3.1' : dialectOfUri(uri), dialect].map((each) =>
    each === 'openapi-3.1' ? '2020-12' : each,
  );
  return own !== around;
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
  if (keywordsOf(reading.dialect).get(key)?.use === 'refers') {
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
  const name = definitionName(tokens);
  if (!reading.names.has(name)) reading.names.set(name, tokens);
  reading.refs.add(name);
  return toPointer([reading.holder, name]);
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
  const component = reading.indexNames().get(withoutFragment(reference));
  if (component === undefined) {
    const problem = reference.startsWith('#') ? broken(reference) : outside(reference);
    reading.problems.push(problem);
    return reference;
  }
  reading.names.set(component, ['components', 'schemas', component]);
  reading.refs.add(component);
  return reference;
}

function withoutFragment(reference: string): string {
  const hash = reference.indexOf('#');
  return hash <= 0 ? reference : reference.slice(0, hash);
}

/** From `$id` and `#anchor` to the component that contains it. */
type NameIndex = ReadonlyMap<string, string>;

function indexSchemaNames(document: JsonObject): NameIndex {
  const index = new Map<string, string>();
  const schemas = objectAt(objectAt(document, 'components'), 'schemas') ?? {};
  for (const [component, schema] of Object.entries(schemas)) {
    const pending: Json[] = [schema];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (typeof next !== 'object' || next === null) continue;
      for (const key of ['$anchor', '$dynamicAnchor'] as const) {
        const anchor = memberOf(next, key);
        if (typeof anchor === 'string') index.set(`#${anchor}`, component);
      }
      const id = memberOf(next, '$id');
      if (typeof id === 'string') index.set(withoutFragment(id), component);
      for (const member of Object.values(next)) pending.push(member);
    }
  }
  return index;
}
