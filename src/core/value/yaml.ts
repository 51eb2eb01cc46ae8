// Checks for what YAML can express and JSON cannot, for every reader of YAML. The parser belongs to
// the reader: it is large, and the command line loads it only when needed.

import { isExactNumber, type Json, maxJsonDepth, parseJson } from './json.ts';

/** No contract has more values than this: the largest known one has some 100,000. */
const maxValueCount = 2_000_000;

/** A tag for the parser: a number that a double cannot hold is kept as text, as in JSON. */
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

export type YamlValue =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

/** The parser's result as JSON, if JSON can express it. */
export function jsonOfYaml(value: unknown): YamlValue {
  const problem = findForeign(value);
  return problem === null ? { ok: true, value: value as Json } : { ok: false, message: problem };
}

/** A value that is not JSON, or null: this check makes the cast above correct. */
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
