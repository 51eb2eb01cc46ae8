import type { Json, JsonParsed } from '../core/value/json.ts';

/**
 * Parses one YAML document into JSON. Numbers stay exact, as in JSON; content that JSON cannot
 * express (infinities, several documents) is refused.
 */
export async function parseYaml(
  text: string,
): Promise<{ readonly ok: true; readonly value: Json } | NotParsed> {
  const parsed = await parseYamlDocuments(text);
  if (!parsed.ok) return parsed;
  const [first = null, ...others] = parsed.values;
  if (others.length === 0) return { ok: true, value: first };
  return {
    ok: false,
    reason: 'syntax',
    message: 'The file contains several documents. Split it into one file per document.',
  };
}

type YamlParsed = { readonly ok: true; readonly values: readonly Json[] } | NotParsed;

type NotParsed = Extract<JsonParsed, { ok: false }>;

/**
 * Parses every document of a text. Numbers stay exact; content that JSON cannot express is refused.
 */
export async function parseYamlDocuments(text: string): Promise<YamlParsed> {
  const yaml = await import('../core/value/yaml-documents.ts');
  try {
    const values: Json[] = [];
    for (const document of yaml.parseYamlDocuments(text)) {
      const [problem] = document.errors;
      if (problem !== undefined) return syntax(problem.message);
      const read = yaml.jsonOfDocument(document);
      if (!read.ok) return { ok: false, reason: 'syntax', message: read.message };
      values.push(read.value);
    }
    return { ok: true, values };
  } catch (error) {
    const isTooDeep = error instanceof RangeError;
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: isTooDeep ? 'too_deep' : 'syntax', message };
  }
}

/** The parser adds the faulty line below its sentence, which already contains the position. */
function syntax(message: string): NotParsed {
  const [sentence = message] = message.split('\n');
  return { ok: false, reason: 'syntax', message: `${sentence.replace(/:$/, '')}.` };
}
