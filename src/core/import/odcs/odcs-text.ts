// Parses the text of a data contract, YAML or JSON, into JSON.

import type { Json } from '../../value/json.ts';
import { fatal, type ImportProblem } from '../candidate.ts';
import { parseYamlText } from '../yaml-text.ts';

type ParsedText =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: ImportProblem };

/** @example parseOdcsText('kind: DataContract') // { ok: true, value: { kind: 'DataContract' } } */
export function parseOdcsText(text: string): ParsedText {
  const parsed = parseYamlText(text);
  if (parsed.ok) return parsed;
  const message = `The contract could not be read. ${parsed.message}`;
  return { ok: false, problem: fatal('INVALID_ODCS', message, parsed.place) };
}
