// Parses a text of YAML. The parser compares each key with every key before it in its object, so
// 80,000 keys would take more than a minute; here they are looked up instead.

import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  YAMLParseError,
} from 'yaml';
import { isExactNumber } from './json.ts';
import { exactNumberTag, jsonOfYaml, type YamlValue } from './yaml.ts';

/** How often aliases may repeat their anchors, so that a few lines do not become gigabytes. */
const maxAliasCount = 100;

/** What stands in place of a merge key (`<<`) until it is merged. */
const mergeKey = '\0<<';

/**
 * The documents of a text, each with its errors. A number that a double cannot hold stays exact.
 *
 * @example parseYamlDocuments('a: 1\na: 2')[0].errors[0].linePos // [{ line: 2, column: 1 }, ...]
 */
export function parseYamlDocuments(text: string): readonly Document.Parsed[] {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.2',
    lineCounter,
    uniqueKeys: false,
    customTags: (tags) => [exactNumberTag, ...tags],
  });
  if (!Array.isArray(documents)) return [];
  for (const document of documents) tellRepeatedKey(document, lineCounter);
  return documents;
}

/**
 * A document as JSON. Merge keys, which YAML 1.1 has, are followed, as every reader of such documents does that we
 * know: what a definition gets by `<<` is in it.
 *
 * @throws if aliases multiply, or if it is nested too deeply for the stack
 */
export function jsonOfDocument(document: Document.Parsed): YamlValue {
  const value: unknown = document.toJS({ maxAliasCount });
  return mergeIn(value, new Map())
    ? jsonOfYaml(value)
    : { ok: false, message: 'A merge key (<<) takes another object or a list of them.' };
}

/**
 * In place, each object once, and without a copy of what is merged: aliases share their object, so that a few lines do
 * not become gigabytes. Returns false if something else than other objects is merged.
 */
function mergeIn(value: unknown, seen: Map<unknown, 'begun' | 'done'>): boolean {
  if (typeof value !== 'object' || value === null || isExactNumber(value) || seen.has(value)) {
    return true;
  }
  seen.set(value, 'begun');
  for (const member of Object.values(value)) if (!mergeIn(member, seen)) return false;
  seen.set(value, 'done');
  const merged = Object.getOwnPropertyDescriptor(value, mergeKey);
  if (merged === undefined) return true;
  Reflect.deleteProperty(value, mergeKey);
  for (const source of [merged.value].flat()) {
    if (Object(source) !== source || Object.getPrototypeOf(source) !== Object.prototype)
      return false;
    // It is merged into itself.
    if (seen.get(source) === 'begun' || source === value) return false;
    for (const [key, description] of Object.entries(Object.getOwnPropertyDescriptors(source))) {
      // What is written in the object itself counts, and of several what is merged first.
      if (!Object.hasOwn(value, key)) Object.defineProperty(value, key, description);
    }
  }
  return true;
}

/** The first error of a document is the one that people are told. */
function tellRepeatedKey({ contents, errors }: Document.Parsed, lines: LineCounter): void {
  const repeated = findRepeatedKey(contents);
  const first = errors[0]?.pos[0] ?? Number.POSITIVE_INFINITY;
  if (repeated === null || repeated.start > first) return;
  const { start, key } = repeated;
  const at = lines.linePos(start);
  const what = key === mergeKey ? 'An object has one merge key' : 'Map keys must be unique';
  const message = `${what} at line ${at.line}, column ${at.col}`;
  const error = new YAMLParseError([start, start + 1], 'DUPLICATE_KEY', message);
  error.linePos = [at, lines.linePos(start + 1)];
  errors.unshift(error);
}

/** Where the first key stands that is written again in its object; null without one. Marks merge keys. */
function findRepeatedKey(root: unknown): { start: number; key: unknown } | null {
  let first: { start: number; key: unknown } | null = null;
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const node = pending.pop();
    if (isSeq(node)) for (const item of node.items) pending.push(item);
    if (isPair(node)) pending.push(node.key, node.value);
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      pending.push(key, value);
      if (!isScalar(key)) continue;
      if (key.value === '<<' && key.type === 'PLAIN') key.value = mergeKey;
      const start = key.range?.[0] ?? 0;
      if (keys.has(key.value) && (first === null || start < first.start)) {
        first = { start, key: key.value };
      }
      keys.add(key.value);
    }
  }
  return first;
}
