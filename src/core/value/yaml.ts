// What YAML can say and JSON cannot, for every reader of YAML. The parser itself is the reader's: it
// is large, and the command line loads it only when it must.

import { isExactNumber, type Json, maxJsonDepth, parseJson } from './json.ts';

/** How many times aliases may repeat what they stand for: a few lines must not become gigabytes. */
export const maxAliasCount = 100;

/** More values than this are no contract: the largest known holds some 100,000. */
const maxValueCount = 2_000_000;

/** A tag for the parser: a number that a double cannot hold is kept as its text, as in JSON. */
export const exactNumberTag = {
  identify: () => false,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/,
  resolve: (source: string) => {
    const parsed = parseJson(source);
    return parsed.ok ? parsed.value : source;
  },
};

type YamlValue =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

/** What the parser made of a document, if JSON can say it. */
export function jsonOfYaml(value: unknown): YamlValue {
  const problem = findForeign(value);
  return problem === null ? { ok: true, value: value as Json } : { ok: false, message: problem };
}

/** What in the value is no JSON, or null: the check that makes the cast above true. */
function findForeign(root: unknown): string | null {
  const pending: { readonly value: unknown; readonly depth: number }[] = [
    { value: root, depth: 0 },
  ];
  let count = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > maxJsonDepth) return `It is nested deeper than ${maxJsonDepth} levels. Flatten it.`;
    if (++count > maxValueCount) return `It contains more than ${maxValueCount} values. Split it.`;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') continue;
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) return `${value} is no JSON number.`;
      continue;
    }
    if (typeof value !== 'object') return `A ${typeof value} is no JSON.`;
    if (isExactNumber(value)) continue;
    if (value instanceof Map || value instanceof Set || value instanceof Date) {
      return 'It contains a value that JSON cannot represent.';
    }
    for (const member of Object.values(value)) pending.push({ value: member, depth: depth + 1 });
  }
  return null;
}
