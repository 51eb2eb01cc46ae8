// Detects the kind of a file from its contents, and makes the document to send to the registry.

import { isRunResults, isSchemaBySelf, isSdl, kindOfJson } from '../../core/import/detect-kind.ts';
import { parseYamlText } from '../../core/import/yaml-text.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/value/json.ts';
import type { ImportKind, OpenedFile } from './import.types.ts';

export interface OpenedText extends OpenedFile {
  readonly text: string;
  /** Null if it is neither a JSON object nor YAML for one. */
  readonly value: JsonObject | null;
}

/** @example openText('type User { id: ID }', 'schema.graphql') // { kind: 'graphql', ... } */
export function openText(text: string, name: string): OpenedText {
  if (text.trim() === '') return { text, value: null, kind: null, problem: { kind: 'empty' } };
  if (isSdl(text, name)) return { text, value: null, kind: 'graphql', problem: null };
  const parsed = parseText(text, name);
  if (!parsed.ok) {
    return {
      text,
      value: null,
      kind: null,
      problem: { kind: 'unreadable', message: parsed.message },
    };
  }
  if (!isJsonObject(parsed.value)) return { text, value: null, kind: null, problem: null };
  return { text, value: parsed.value, ...kindOf(parsed.value, name) };
}

function kindOf(value: JsonObject, name: string): OpenedFile {
  if (isRunResults(value)) return { kind: null, problem: { kind: 'run_results' } };
  const kind = kindOfJson(value);
  if (kind === 'datacontract') return { kind: null, problem: { kind: 'datacontract' } };
  if (kind === null && isSchemaBySelf(value, name)) {
    return { kind: null, problem: { kind: 'jsonschema' } };
  }
  return { kind, problem: null };
}

/**
 * Text that starts like JSON is read as JSON: the YAML reader takes minutes for large invalid JSON.
 */
function parseText(text: string, name: string) {
  if (!/\.ya?ml$/i.test(name) && /^\s*[{[]/.test(text)) return parseJson(text);
  return parseYamlText(text);
}

/** Whether the file can be read as this kind, whatever was detected. */
export function isReadableAs({ value }: OpenedText, kind: ImportKind): boolean {
  return kind === 'graphql' || value !== null;
}
