// Detects the kind of a file from its contents, and makes the document to send to the registry.

import { isRunResults, kindOfDocument, kindOfText } from '../../core/import/document-kinds.ts';
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
  const ofText = kindOfText(text, name);
  if (ofText?.reader === 'graphql') return { text, value: null, kind: 'graphql', problem: null };
  if (ofText?.reader === null) return { text, value: null, ...notRead(ofText.refusal) };
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
  return { text, value: parsed.value, ...kindOf(parsed.value) };
}

function kindOf(value: JsonObject): OpenedFile {
  if (isRunResults(value)) return { kind: null, problem: { kind: 'run_results' } };
  const kind = kindOfDocument(value);
  if (kind === null) return { kind: null, problem: null };
  switch (kind.reader) {
    case null:
      return notRead(kind.refusal);
    case 'crd':
    case 'asyncapi':
      return notRead(`this is ${kind.words}. Compare two versions of it with concordat diff.`);
    case 'datacontract':
    case 'jsonschema':
      return { kind: null, problem: { kind: kind.reader } };
    default:
      return { kind: kind.reader, problem: null };
  }
}

function notRead(message: string): OpenedFile {
  return { kind: null, problem: { kind: 'not_read', message } };
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
