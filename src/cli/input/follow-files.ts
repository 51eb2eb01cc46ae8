// An OpenAPI document, or another one, that is written in several files, as one document: each file that it reaches
// stands below `x-files`, by its path from the document, and references lead there.

import { posix } from 'node:path';
import { isData } from '../../core/import/openapi/openapi-document.ts';
import { textAt } from '../../core/import/read-json.ts';
import { isAbsoluteUri, splitFragment } from '../../core/schema/uri.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { percentDecoded, writeUriToken } from '../../core/value/pointer-token.ts';
import type { SourceFile } from './subject.ts';

interface Shelf {
  readonly parse: (file: SourceFile) => Promise<Json | null>;
  readonly findByPath: (from: SourceFile, path: string) => Promise<SourceFile | null>;
}

/**
 * References to what is not found, and to other hosts, stay as they are, so that the reader reports
 * them by name.
 *
 * @example await followFiles(file, { $ref: 'pet.yaml#/Pet' }, shelf)
 * // { $ref: '#/x-files/pet.yaml/Pet', 'x-files': { 'pet.yaml': { Pet: ... } } }
 */
export async function followFiles(
  root: SourceFile,
  document: JsonObject,
  shelf: Shelf,
): Promise<JsonObject> {
  const folder = posix.dirname(root.name);
  const parts: Record<string, Json> = {};
  const seen = new Set([root.name]);
  const pending: Part[] = [{ file: root, document, at: '#' }];
  let whole = document;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const targets = new Map<string, string>();
    for (const reference of referencesIn(part.document)) {
      const [path, fragment] = splitFragment(reference);
      if (path === '') {
        targets.set(reference, `${part.at}${fragment}`);
        continue;
      }
      const beside = posix.join(posix.dirname(part.file.name), percentDecoded(path));
      // The folder of the document bounds what is read, also from files in folders below it.
      const inside = posix.relative(folder, beside);
      const file = isAbsoluteUri(path) ? null : await shelf.findByPath(root, inside);
      const found = file === null ? null : await shelf.parse(file);
      if (file === null || found === null) continue;
      const name = posix.relative(folder, file.name);
      const at = file.name === root.name ? '#' : `#/x-files/${writeUriToken(name)}`;
      targets.set(reference, `${at}${fragment}`);
      if (seen.has(file.name)) continue;
      seen.add(file.name);
      pending.push({ file, document: found, at });
    }
    const rewritten = rewrite(part.document, targets);
    if (part.at === '#') whole = isJsonObject(rewritten) ? rewritten : whole;
    else parts[posix.relative(folder, part.file.name)] = rewritten;
  }
  return Object.keys(parts).length === 0 ? document : { ...whole, 'x-files': parts };
}

interface Part {
  readonly file: SourceFile;
  readonly document: Json;
  /** The pointer to it. */
  readonly at: string;
}

function referencesIn(root: Json): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: (readonly [value: Json, holder: string | null])[] = [[root, null]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, holder] = next;
    if (Array.isArray(value)) for (const each of value) pending.push([each, null]);
    if (!isJsonObject(value)) continue;
    const reference = textAt(value, '$ref');
    if (reference !== undefined) found.add(reference);
    for (const target of mappedIn(value)) found.add(target);
    for (const [key, member] of Object.entries(value))
      if (!isData(key, holder)) pending.push([member, key]);
  }
  return found;
}

/** The files that a discriminator names; other names are those of components. */
function mappedIn(value: JsonObject): readonly string[] {
  const { mapping = null, defaultMapping } = value;
  const names = [...Object.values(isJsonObject(mapping) ? mapping : {}), defaultMapping];
  return names.filter((name) => typeof name === 'string' && /[#./]/.test(name)) as string[];
}

function rewrite(
  value: Json,
  targets: ReadonlyMap<string, string>,
  holder: string | null = null,
): Json {
  if (Array.isArray(value)) return value.map((each) => rewrite(each, targets));
  if (!isJsonObject(value)) return value;
  const isMapping = mappedIn(value).length > 0;
  const members = Object.entries(value).map(([key, member]): readonly [string, Json] => {
    if (typeof member === 'string' && (key === '$ref' || key === 'defaultMapping'))
      return [key, targets.get(member) ?? member];
    if (key === 'mapping' && isMapping && isJsonObject(member)) {
      const names = Object.entries(member).map(([name, target]): readonly [string, Json] => [
        name,
        typeof target === 'string' ? (targets.get(target) ?? target) : target,
      ]);
      return [key, Object.fromEntries(names)];
    }
    return [key, isData(key, holder) ? member : rewrite(member, targets, key)];
  });
  return Object.fromEntries(members);
}
