// The text of a document, YAML or JSON, as JSON. Aliases may not multiply, and what YAML can say and
// JSON cannot is refused.

import { parseDocument } from 'yaml';
import { isExactNumber, type Json, maxJsonDepth, parseJson } from '../json.ts';

export type ParsedYaml =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly place: string };

/** How many times aliases may repeat what they stand for: a few lines must not become gigabytes. */
const maxAliasCount = 100;

/** More values than this are no contract: the largest known holds some 100,000. */
const maxValueCount = 2_000_000;

/** @example parseYamlText('kind: DataContract') // { ok: true, value: { kind: 'DataContract' } } */
export function parseYamlText(text: string): ParsedYaml {
  if (/^\s*[{[]/.test(text)) {
    const parsed = parseJson(text);
    if (parsed.ok) return parsed;
    // YAML may start with a brace too; what is neither is told in YAML's words, with the line.
  }
  try {
    const document = parseDocument(text, { customTags: (tags) => [exactNumber, ...tags] });
    const [error] = document.errors;
    if (error !== undefined) {
      const [start] = error.linePos ?? [];
      const place = start === undefined ? '$' : `line ${start.line}, column ${start.col}`;
      // The parser reports the end of its own stack as one more error of the text.
      const isTooDeep = error.message.includes('call stack');
      return refuse(isTooDeep ? tooDeep : error.message, place);
    }
    return toJson(document.toJS({ maxAliasCount }));
  } catch (error) {
    // The parser's stack ends on text that nests without end, and aliases that multiply throw.
    if (error instanceof RangeError) return refuse(tooDeep, '$');
    return refuse(error instanceof Error ? error.message : String(error), '$');
  }
}

const tooDeep = 'It nests too deep. Flatten it.';

function refuse(message: string, place: string): ParsedYaml {
  return { ok: false, message, place };
}

/** A number that a double cannot hold is kept as its text, as in JSON. */
const exactNumber = {
  identify: () => false,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/,
  resolve: (source: string) => {
    const parsed = parseJson(source);
    return parsed.ok ? parsed.value : source;
  },
};

function toJson(value: unknown): ParsedYaml {
  const problem = findForeign(value);
  if (problem !== null) return refuse(problem, '$');
  return { ok: true, value: value as Json };
}

/** What in the value is no JSON, or null: the check that makes the cast above true. */
function findForeign(root: unknown): string | null {
  const pending: { readonly value: unknown; readonly depth: number }[] = [
    { value: root, depth: 0 },
  ];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > maxJsonDepth) return `It nests deeper than ${maxJsonDepth} levels. Flatten it.`;
    if (++count > maxValueCount) return `It holds more than ${maxValueCount} values.`;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') continue;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) return `${value} is no JSON number.`;
      continue;
    }
    if (typeof value !== 'object') return `A ${typeof value} is no JSON.`;
    if (isExactNumber(value)) continue;
    if (value instanceof Map || value instanceof Set || value instanceof Date) {
      return 'It holds a value that JSON cannot say.';
    }
    for (const member of Object.values(value)) pending.push({ value: member, depth: depth + 1 });
  }
  return null;
}
