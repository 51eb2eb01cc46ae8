// Parses the text of a document, YAML or JSON, into JSON. Multiplying aliases, and YAML that JSON
// cannot express, are refused.

import { type Json, parseJson } from '../value/json.ts';
import { jsonOfDocument, parseYamlDocuments } from '../value/yaml-documents.ts';

type ParsedYaml =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string; readonly place: string };

/** @example parseYamlText('kind: DataContract') // { ok: true, value: { kind: 'DataContract' } } */
export function parseYamlText(text: string): ParsedYaml {
  if (/^\s*[{[]/.test(text)) {
    const parsed = parseJson(text);
    if (parsed.ok) return parsed;
    // YAML may start with a brace too; if it is neither, YAML's message with its line is used.
  }
  try {
    const [document, second] = parseYamlDocuments(text);
    if (document === undefined) return { ok: true, value: null };
    const [error] = document.errors;
    if (error !== undefined) {
      const [start] = error.linePos ?? [];
      const place = start === undefined ? '$' : `line ${start.line}, column ${start.col}`;
      // The parser reports an overflow of its own stack as an error of the text.
      const isTooDeep = error.message.includes('call stack');
      return refuse(isTooDeep ? tooDeep : error.message, place);
    }
    if (second !== undefined) return refuse(severalDocuments, placeOf(text, second.range[0]));
    const read = jsonOfDocument(document);
    return read.ok ? read : refuse(read.message, '$');
  } catch (error) {
    // The parser's stack overflows on extreme nesting, and aliases that multiply throw.
    if (error instanceof RangeError) return refuse(tooDeep, '$');
    return refuse(error instanceof Error ? error.message : String(error), '$');
  }
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

const severalDocuments = 'It contains several documents. Split it into one file per document.';
const tooDeep = 'It is nested too deeply. Flatten it.';

function refuse(message: string, place: string): ParsedYaml {
  return { ok: false, message, place };
}
