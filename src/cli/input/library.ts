// The files that a schema may refer to: those of its side, those below --base, and those in the
// folder of a named file. Each file that is reached is embedded with its id, so that the schema is
// complete in itself. Nothing is fetched.

import { posix } from 'node:path';
import { kindOfDocument } from '../../core/import/document-kinds.ts';
import { isData } from '../../core/import/openapi/openapi-document.ts';
import { objectAt, textAt } from '../../core/import/read-json.ts';
import { type Dialect, dialectOfUri } from '../../core/schema/dialects.ts';
import { definitionsKeyword, idKeyword, ignoresRefSiblings } from '../../core/schema/keywords.ts';
import { isAbsoluteUri, resolveUri, splitFragment } from '../../core/schema/uri.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/value/json.ts';
import { percentDecoded } from '../../core/value/pointer-token.ts';
import { parseYaml } from '../parse-yaml.ts';
import { followFiles } from './follow-files.ts';
import { unreadable } from './read-text.ts';
import type { SourceFile } from './subject.ts';

export interface Library {
  /** The schema with every file that it reaches. */
  readonly embed: (file: SourceFile, schema: Json, dialect: Dialect) => Promise<Json>;
  /** A document of OpenAPI, AsyncAPI or a data contract with every file that it reaches. */
  readonly follow: (file: SourceFile, document: Json) => Promise<Json>;
  /** The file that a DataContract takes its schema from; null if there is none. */
  readonly findDocument: (file: SourceFile, path: string) => Promise<SourceFile | null>;
}

/** @example await createLibrary(files).embed(file, { $ref: 'a.json' }, '2020-12') // { $ref, $defs } */
export function createLibrary(files: readonly SourceFile[]): Library {
  const byName = new Map(
    files.flatMap((file) => [file.path, file.name].map((name) => [posix.normalize(name), file])),
  );
  const byPath = new Map(files.map((file) => [posix.normalize(file.path), file]));
  const documents = new Map<SourceFile, Promise<Json | null>>();
  const parse = (file: SourceFile) => {
    const known = documents.get(file) ?? parseDocument(file);
    documents.set(file, known);
    return known;
  };
  let ids: Promise<ReadonlyMap<string, SourceFile>> | null = null;
  const shelf: Shelf = {
    parse,
    findById: async (uri) => {
      ids ??= indexIds(files, parse);
      return (await ids).get(uri) ?? null;
    },
    findByPath: async (from, path) => {
      const name = posix.join(posix.dirname(from.name), path);
      const given = byName.get(name);
      if (given !== undefined || from.readBeside === undefined) return given ?? null;
      if (posix.normalize(path).startsWith('../')) throw leaves(from, path);
      return from.readBeside(path);
    },
  };
  return {
    embed: (file, schema, dialect) => embed({ file, schema, dialect, shelf }),
    follow: async (file, document) =>
      isJsonObject(document) && refersToFiles(file) ? followFiles(file, document, shelf) : document,
    findDocument: async (file, path) => {
      const given = byPath.get(posix.join(posix.dirname(file.path), path));
      const read = file.readDocument ?? file.readBeside;
      return given ?? (await read?.(path)) ?? null;
    },
  };
}

/**
 * Whether a file may refer to another one, also by a discriminator or by the `schemaFrom` of a DataContract. It is asked of the text, which may write the keyword with an escape
 * or stand for it by an alias of YAML, so these count as well.
 */
export function refersToFiles({ text }: SourceFile): boolean {
  return /\bschemaFrom\b|\$ref["']?\s*:(?!\s*["']?#)|\b(?:m|defaultM)apping["']?\s*:|\\[uUx\r\n]|\*[^\s,:\]}]+\s*:/.test(
    text,
  );
}

function leaves(file: SourceFile, path: string) {
  const message = `$ref ${JSON.stringify(path)} leaves the folder of the file. Name the folder that has both with --base.`;
  return unreadable(file, '$', message);
}

interface Shelf {
  readonly parse: (file: SourceFile) => Promise<Json | null>;
  readonly findById: (uri: string) => Promise<SourceFile | null>;
  readonly findByPath: (from: SourceFile, path: string) => Promise<SourceFile | null>;
}

async function parseDocument({ text }: SourceFile): Promise<Json | null> {
  const json = parseJson(text);
  if (json.ok) return json.value;
  const yaml = await parseYaml(text);
  return yaml.ok ? yaml.value : null;
}

async function indexIds(
  files: readonly SourceFile[],
  parse: Shelf['parse'],
): Promise<ReadonlyMap<string, SourceFile>> {
  const found = new Map<string, SourceFile>();
  for (const file of files) {
    // Most files of a folder are no schemas, and need not be parsed.
    if (!/["']?\$?id["']?\s*:/.test(file.text)) continue;
    const id = ownId(await parse(file));
    if (id !== null && !found.has(id)) found.set(id, file);
  }
  return found;
}

/** The absolute id of a document, without a fragment. */
function ownId(document: Json | null): string | null {
  const id = textAt(document ?? undefined, '$id') ?? textAt(document ?? undefined, 'id') ?? '';
  return isAbsoluteUri(id) ? splitFragment(id)[0] : null;
}

interface Embedding {
  readonly file: SourceFile;
  readonly schema: Json;
  readonly dialect: Dialect;
  readonly shelf: Shelf;
}

async function embed({ file, schema, dialect: stated, shelf }: Embedding): Promise<Json> {
  if (!isJsonObject(schema)) return schema;
  const embedded = new Map<string, Json>();
  const folder = posix.dirname(file.name);
  const root: Member = { file, id: ownId(schema) ?? uriOf(file, folder), document: schema };
  const pending = [root];
  let whole: Json = schema;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const targets = await findTargets(next, folder, shelf);
    const rewritten = targets.size === 0 ? next.document : rewrite(next.document, targets);
    if (next === root) whole = rewritten;
    else embedded.set(next.id, rewritten);
    for (const { member } of targets.values()) {
      if (embedded.has(member.id) || member.id === root.id) continue;
      embedded.set(member.id, {});
      pending.push(member);
    }
  }
  if (embedded.size === 0 || !isJsonObject(whole)) return whole;
  const dialect = dialectOf(schema, stated);
  const holder = definitionsKeyword(dialect);
  const members = [...embedded].map(
    ([id, document]) => [id, withId(document, id, dialect)] as const,
  );
  return {
    ...whole,
    [holder]: { ...objectAt(whole, holder), ...Object.fromEntries<Json>(members) },
  };
}

/** Files without an id are named by their path from the schema, the same on every machine. */
function uriOf({ name }: SourceFile, folder: string): string {
  return `file:///${posix.relative(folder, name).replaceAll('../', 'up/')}`;
}

interface Member {
  readonly file: SourceFile;
  readonly id: string;
  readonly document: JsonObject;
}

interface Target {
  readonly reference: string;
  readonly member: Member;
}

/** The files that a document refers to directly, by the text of the reference. */
async function findTargets(
  from: Member,
  folder: string,
  shelf: Shelf,
): Promise<ReadonlyMap<string, Target>> {
  const found = new Map<string, Target>();
  const own = idsWithin(from.document);
  for (const reference of referencesIn(from.document)) {
    const [path, fragment] = splitFragment(reference);
    const uri = resolveUri(from.id, path);
    if (path === '' || uri === from.id || own.has(uri) || own.has(path)) continue;
    const isPath = !isAbsoluteUri(path);
    const file =
      (await shelf.findById(uri)) ??
      (isPath ? await shelf.findByPath(from.file, percentDecoded(path)) : null);
    const document = file === null ? null : await shelf.parse(file);
    if (file === null || !isJsonObject(document) || !isReferable(document)) continue;
    const id = ownId(document) ?? (isPath && !uri.startsWith('file:') ? uri : uriOf(file, folder));
    found.set(reference, { reference: `${id}#${fragment}`, member: { file, id, document } });
  }
  return found;
}

/** A schema, or parts without a keyword of their own; no document of another kind. */
function isReferable(document: Json): boolean {
  const kind = kindOfDocument(document);
  return kind === null || kind.reader === 'jsonschema';
}

/** Keywords whose values are data, so that a `$ref` within them refers to nothing. */
const data: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples']);

function referencesIn(root: Json): ReadonlySet<string> {
  const found = new Set<string>();
  visit(root, (value) => {
    const reference = textAt(value, '$ref');
    if (reference !== undefined && !reference.startsWith('#')) found.add(reference);
  });
  return found;
}

function idsWithin(root: Json): ReadonlySet<string> {
  const found = new Set<string>();
  visit(root, (value) => {
    const id = textAt(value, '$id');
    if (id !== undefined) found.add(splitFragment(id)[0]);
  });
  return found;
}

function visit(root: Json, see: (value: JsonObject) => void): void {
  const pending: (readonly [value: Json, holder: string | null])[] = [[root, null]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, holder] = next;
    if (Array.isArray(value)) for (const each of value) pending.push([each, null]);
    if (!isJsonObject(value)) continue;
    see(value);
    for (const [key, member] of Object.entries(value))
      if (!isData(key, holder, data)) pending.push([member, key]);
  }
}

function rewrite(
  value: Json,
  targets: ReadonlyMap<string, Target>,
  holder: string | null = null,
): Json {
  if (Array.isArray(value)) return value.map((each) => rewrite(each, targets));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const target = key === '$ref' && typeof member === 'string' ? targets.get(member) : undefined;
    if (target !== undefined) return [key, target.reference] as const;
    return [key, isData(key, holder, data) ? member : rewrite(member, targets, key)] as const;
  });
  return Object.fromEntries<Json>(members);
}

/** Before 2019-09, the keywords beside a `$ref` do not count, its id included. */
function withId(document: Json, id: string, around: Dialect): Json {
  if (!isJsonObject(document)) return document;
  const dialect = dialectOf(document, around);
  const { $ref: reference, ...rest } = document;
  const named = { ...rest, [idKeyword(dialect) ?? '$id']: id };
  if (reference === undefined) return named;
  const target = { $ref: reference };
  return ignoresRefSiblings(dialect) ? { ...named, allOf: [target] } : { ...named, ...target };
}

function dialectOf(document: JsonObject, otherwise: Dialect): Dialect {
  return dialectOfUri(textAt(document, '$schema') ?? '') ?? otherwise;
}
