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
  const parsed = await parseYamlDocuments(text);
  if (!parsed.ok) return parsed;
  const [first = null, ...others] = parsed.values;
  if (others.length === 0) return { ok: true, value: first };
  return { ok: false, reason: 'syntax', message: 'It holds several documents. Split it.' };
}

type YamlParsed =
  | { readonly ok: true; readonly values: readonly Json[] }
  | Extract<JsonParsed, { ok: false }>;

/** Every document of a text. Numbers are kept exactly; what JSON cannot say is refused. */
export async function parseYamlDocuments(text: string): Promise<YamlParsed> {
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
    const documents = yaml.parseAllDocuments(text, {
      customTags: (tags) => [exactNumber, ...tags],
      prettyErrors: true,
    });
    const values: Json[] = [];
    for (const document of documents) {
      const [problem] = document.errors;
      if (problem !== undefined) return syntax(problem.message);
      const read = toJson(document.toJS({ maxAliasCount }));
      if (!read.ok) return read;
      values.push(read.value);
    }
    return { ok: true, values };
  } catch (error) {
    const isTooDeep = error instanceof RangeError;
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: isTooDeep ? 'too_deep' : 'syntax', message };
  }
}

/** The parser shows the line at fault below its sentence: the sentence has the place already. */
function syntax(message: string): Extract<JsonParsed, { ok: false }> {
  const [sentence = message] = message.split('\n');
  return { ok: false, reason: 'syntax', message: `${sentence.replace(/:$/, '')}.` };
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
