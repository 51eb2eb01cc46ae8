import {
  isExactNumber,
  type Json,
  type JsonParsed,
  maxJsonDepth,
  parseJson,
} from '../core/json.ts';

/** How many times aliases may repeat what they stand for: a few lines must not become gigabytes. */
const maxAliasCount = 100;

/**
 * Parses one YAML document into JSON. Numbers are kept exactly, as in JSON; what JSON cannot say
 * (infinities, several documents) is refused.
 */
export async function parseYaml(text: string): Promise<JsonParsed> {
  const yaml = await import('yaml');
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
  try {
    const document = yaml.parseDocument(text, {
      customTags: (tags) => [exactNumber, ...tags],
      prettyErrors: true,
    });
    const [problem] = document.errors;
    if (problem !== undefined) return { ok: false, reason: 'syntax', message: problem.message };
    return toJson(document.toJS({ maxAliasCount }));
  } catch (error) {
    const isTooDeep = error instanceof RangeError;
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: isTooDeep ? 'too_deep' : 'syntax', message };
  }
}

function toJson(value: unknown): JsonParsed {
  const problem = findProblem(value, 0);
  if (problem !== null) return { ok: false, reason: 'syntax', message: problem };
  return { ok: true, value: value as Json };
}

/** What in the value is no JSON, or null: the check that makes the cast above true. */
function findProblem(value: unknown, depth: number): string | null {
  if (depth > maxJsonDepth) return `It nests deeper than ${maxJsonDepth} levels. Flatten it.`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : `${value} is no JSON number.`;
  }
  if (typeof value !== 'object') return `A ${typeof value} is no JSON.`;
  if (isExactNumber(value)) return null;
  if (value instanceof Map || value instanceof Set || value instanceof Date) {
    return 'It holds a value that JSON cannot say.';
  }
  for (const member of Object.values(value)) {
    const problem = findProblem(member, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}
