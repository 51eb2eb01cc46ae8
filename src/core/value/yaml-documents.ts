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
import { exactNumberTag } from './yaml.ts';

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

/** The first error of a document is the one that people are told. */
function tellRepeatedKey({ contents, errors }: Document.Parsed, lines: LineCounter): void {
  const start = findRepeatedKey(contents);
  const first = errors[0]?.pos[0] ?? Number.POSITIVE_INFINITY;
  if (start === null || start > first) return;
  const at = lines.linePos(start);
  const message = `Map keys must be unique at line ${at.line}, column ${at.col}`;
  const error = new YAMLParseError([start, start + 1], 'DUPLICATE_KEY', message);
  error.linePos = [at, lines.linePos(start + 1)];
  errors.unshift(error);
}

/** Where the first key stands that is written again in its object; null without one. */
function findRepeatedKey(root: unknown): number | null {
  let first: number | null = null;
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
      const start = key.range?.[0] ?? 0;
      if (keys.has(key.value) && (first === null || start < first)) first = start;
      keys.add(key.value);
    }
  }
  return first;
}
