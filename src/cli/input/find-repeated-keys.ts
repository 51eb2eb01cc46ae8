// Finds members of JSON objects that are written twice. A parser keeps the last one and says nothing,
// so a reviewer may have read the other.

import { isJsonObject, type Json } from '../../core/value/json.ts';
import { endOfString, placeAt } from '../json-text.ts';
import type { InputProblem, SourceFile } from './subject.ts';

/** Further ones are not listed. */
const maxRepeated = 20;

/** @example findRepeatedKeys({ path, text: '{"a": 1, "a": 2}' }, { a: 2 })[0].place // 'line 1, column 10' */
export function findRepeatedKeys(
  { path, text }: Pick<SourceFile, 'path' | 'text'>,
  value: Json,
): readonly InputProblem[] {
  // Every member has a colon, so the objects are compared only if some colon has no member.
  if (countColons(text) === countMembers(value)) return [];
  return repeatedIn(text).map(({ key, offset }) => {
    const place = placeAt(text, offset);
    const message = `${key} is defined twice in one object. The last definition counts. Remove the other.`;
    return { file: path, place, message, code: 'REPEATED_KEY', leavesUnread: false };
  });
}

function countMembers(root: Json): number {
  let count = 0;
  const pending: Json[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) for (const each of value) pending.push(each);
    if (!isJsonObject(value)) continue;
    for (const key in value) {
      count++;
      const member = value[key];
      if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }
  return count;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === colon) count++;
  }
  return count;
}

function repeatedIn(text: string): readonly { readonly key: string; readonly offset: number }[] {
  const found: { key: string; offset: number }[] = [];
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length && found.length < maxRepeated; at++) {
    const char = text[at];
    if (char === '{' || char === '[') open.push(new Set());
    else if (char === '}' || char === ']') open.pop();
    else if (char === '"') {
      const offset = at;
      const end = endOfString(text, at);
      at = end - 1;
      if (!/^\s*:/.test(text.slice(end, end + 200))) continue;
      const key = text.slice(offset, end);
      const keys = open.at(-1);
      if (keys?.has(key)) found.push({ key, offset });
      keys?.add(key);
    }
  }
  return found;
}

const quote = 0x22;
const colon = 0x3a;
