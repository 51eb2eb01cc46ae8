import { type Json, parseJson } from '../core/value/json.ts';
import { endOfString } from './json-text.ts';

/**
 * Finds the `id` of a line that nests too deeply to be parsed, so that its answer can be matched.
 * Null if there is none, or if it nests too deeply itself.
 *
 * @example lineIdOf('{"id": 7, "a": [[[...]]]}') // 7
 */
export function lineIdOf(text: string): Json {
  let id: Json = null;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) depth--;
    else if (code === quote) {
      const end = endOfString(text, at);
      const isKey = depth === 1 && text.slice(at, end) === '"id"';
      const colon = isKey ? pastSpace(text, end) : end;
      if (isKey && text[colon] === ':') id = valueAt(text, colon + 1) ?? id;
      at = end - 1;
    }
  }
  return id;
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

function pastSpace(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text[at] ?? '')) at++;
  return at;
}

/** The value of a member, up to the comma or bracket that ends it. */
function valueAt(text: string, start: number): Json | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at) - 1;
    else if (code === openBrace || code === openBracket) depth++;
    else if (depth === 0 && (code === comma || code === closeBrace)) {
      const parsed = parseJson(text.slice(start, at));
      return parsed.ok ? parsed.value : null;
    } else if (code === closeBrace || code === closeBracket) depth--;
  }
  return null;
}
