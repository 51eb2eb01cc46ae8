// Real version pairs: a document, or a named part of one, before and after. OpenAPI is converted to
// draft-07, so that peers without OpenAPI can answer the same question.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse as parseYaml } from 'yaml';
import { fetchNpmPackage } from '../../scripts/tools/npm-package.ts';
import { parseGraphql } from '../../src/core/import/graphql/graphql.ts';
import type { Dialect } from '../../src/core/schema/dialects.ts';
import { dialectOfUri } from '../../src/core/schema/dialects.ts';
import { isSameJson } from '../../src/core/value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../src/core/value/json.ts';
import { publishedModule } from './published-module.ts';
import { type RealSource, realSources } from './real-sources.ts';

export interface RealPair {
  readonly family: string;
  readonly name: string;
  readonly old: Json;
  readonly next: Json;
  readonly dialect: Dialect;
}

/** All pairs of the table; a family that cannot be fetched is reported and omitted. */
export async function realPairs(isWanted = (_: RealSource) => true): Promise<readonly RealPair[]> {
  const pairs: RealPair[] = [];
  for (const source of realSources.filter(isWanted)) {
    try {
      pairs.push(...(await pairsOf(source)));
    } catch (error) {
      process.stderr.write(`  ${source.family} is left out: ${error}\n`);
    }
  }
  return pairs;
}

/** The named schemas of one version. */
type Parts = ReadonlyMap<string, Json>;

async function pairsOf(source: RealSource): Promise<readonly RealPair[]> {
  const changed: RealPair[] = [];
  let before: Parts | null = null;
  for (const [version, path] of source.documents) {
    const after = await readParts(source, version, path);
    for (const [name, next] of after) {
      const old = before?.get(name);
      if (old === undefined || isSameJson(old, next)) continue;
      const label = `${name} ${version} ${basename(path)}`;
      changed.push({ family: source.family, name: label, old, next, dialect: dialectOf(next) });
    }
    before = after;
  }
  return spread(changed, source.most);
}

function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from(
    { length: most },
    (_, index) => all[Math.floor((index * all.length) / most)],
  ).filter((each) => each !== undefined);
}

function dialectOf(schema: Json): Dialect {
  const uri = isJsonObject(schema) ? schema.$schema : undefined;
  return (typeof uri === 'string' ? dialectOfUri(uri) : undefined) ?? 'draft-07';
}

async function readParts(source: RealSource, version: string, path: string): Promise<Parts> {
  const fetched = source.kind === 'npm' ? fetchNpmPackage : publishedModule;
  const file = join(await fetched(source.name, version), path);
  switch (source.shape) {
    case 'whole':
      return new Map([['document', readDocument(file)]]);
    case 'components':
      return components(readDocument(file));
    case 'types':
      return types(readFileSync(file, 'utf8'));
    case 'crds':
      return definitions(file);
    default:
      return source.shape satisfies never;
  }
}

function readDocument(file: string): Json {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  if (/\.ya?ml$/.test(file)) return parseYaml(text, { maxAliasCount: -1 }) as Json;
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(`${file}: ${parsed.message}`);
  return parsed.value;
}

/** The places where a document keeps its named schemas. */
const holders = [['components', 'schemas'], ['definitions'], ['$defs']] as const;

function components(document: Json): Parts {
  for (const steps of holders) {
    const schemas = memberAt(document, steps);
    if (!isJsonObject(schemas)) continue;
    const isOpenApi = isJsonObject(document) && ('openapi' in document || 'swagger' in document);
    const all = isOpenApi ? (inDraft07(schemas) as JsonObject) : schemas;
    const pointer = `#/${steps.join('/')}/`;
    const root = isJsonObject(document) ? document.$schema : undefined;
    const head = root === undefined ? {} : { $schema: root };
    return new Map(
      Object.keys(all).map((name) => {
        const kept = reachedFrom(all, name, pointer);
        return [name, { ...head, $ref: `${pointer}${name}`, ...nested(steps, kept) }];
      }),
    );
  }
  return new Map();
}

function memberAt(value: Json, steps: readonly string[]): Json {
  let at: Json = value;
  for (const step of steps) at = (isJsonObject(at) ? at[step] : undefined) ?? null;
  return at;
}

function nested(steps: readonly string[], value: JsonObject): JsonObject {
  return steps.reduceRight<JsonObject>((inner, step) => ({ [step]: inner }), value);
}

/** A named schema with everything that it refers to, so that peers do not have to read more. */
function reachedFrom(all: JsonObject, name: string, pointer: string): JsonObject {
  const kept = new Map<string, Json>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const schema = all[next];
    if (schema === undefined || kept.has(next)) continue;
    kept.set(next, schema);
    for (const reference of referencesIn(schema)) {
      if (reference.startsWith(pointer)) {
        waiting.push(decodeURIComponent(reference.slice(pointer.length)).split('/')[0] ?? '');
      }
    }
  }
  return Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function referencesIn(schema: Json): readonly string[] {
  const found: string[] = [];
  const waiting: Json[] = [schema];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) waiting.push(...value);
    else if (isJsonObject(value)) {
      if (typeof value.$ref === 'string') found.push(value.$ref);
      waiting.push(...Object.values(value));
    }
  }
  return found;
}

function types(sdl: string): Parts {
  const { candidates } = parseGraphql(sdl, {});
  return new Map(
    candidates.flatMap(({ fqn, terms }) => (terms === null ? [] : [[fqn, terms.schema] as const])),
  );
}

function definitions(folder: string): Parts {
  if (!statSync(folder).isDirectory()) return new Map();
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return new Map(
    files.sort().flatMap((name) => {
      const crd = readDocument(join(folder, name));
      const served = memberAt(crd, ['spec', 'versions']);
      const kind = memberAt(crd, ['spec', 'names', 'kind']);
      return (Array.isArray(served) ? served : []).map((version: Json) => {
        const schema = memberAt(version, ['schema', 'openAPIV3Schema']);
        return [`${kind} ${memberAt(version, ['name'])}`, inDraft07(schema)] as const;
      });
    }),
  );
}

/** OpenAPI 3.0 and Swagger converted to draft-07: `nullable`, and exclusive bounds. */
function inDraft07(value: Json): Json {
  if (Array.isArray(value)) return value.map(inDraft07);
  if (!isJsonObject(value)) return value;
  const { nullable, exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = value;
  const turned = Object.fromEntries(
    Object.entries(rest).map(([key, member]) => [key, inDraft07(member)]),
  );
  return {
    ...turned,
    ...exclusive('minimum', 'exclusiveMinimum', above, turned),
    ...exclusive('maximum', 'exclusiveMaximum', below, turned),
    ...(nullable === true ? nullableKeywords(turned) : {}),
    // A property with that name is not a keyword.
    ...(nullable !== undefined && typeof nullable !== 'boolean'
      ? { nullable: inDraft07(nullable) }
      : {}),
  };
}

function exclusive(
  plain: string,
  excluding: string,
  said: Json | undefined,
  schema: JsonObject,
): JsonObject {
  if (said === undefined || said === false) return {};
  if (said !== true) return { [excluding]: inDraft07(said) };
  const { [plain]: bound } = schema;
  return bound === undefined ? {} : { [excluding]: bound };
}

function nullableKeywords({ type, enum: values }: JsonObject): JsonObject {
  return {
    ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}
