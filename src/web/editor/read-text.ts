// Reads the text of a schema, JSON or YAML, and checks it.

import { checkSchema } from '../../core/schema/check-schema.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import { findIdleKeywords, type Remark } from '../../core/schema/idle-keywords.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseEditedJson,
} from '../../core/value/json.ts';

export interface ReadQuestion {
  readonly text: string;
  readonly dialect: Dialect | null;
}

export type ReadAnswer =
  | {
      readonly ok: true;
      readonly schema: JsonObject;
      readonly faults: readonly { readonly path: string; readonly message: string }[];
      /** What says nothing, in a schema without faults. */
      readonly remarks: readonly Remark[];
    }
  | {
      readonly ok: false;
      readonly reason: 'json' | 'yaml' | 'no_object';
      readonly message: string;
      /** Null if the parser does not say where. */
      readonly at: { readonly line: number; readonly column: number } | null;
    };

/** Text that does not begin like JSON is read as YAML. */
export function isYamlText(text: string): boolean {
  return !/^\s*(?:[{[]|$)/.test(text);
}

/** Runs in the worker, which loads the YAML parser when it is first needed. */
export async function readText({ text, dialect }: ReadQuestion): Promise<ReadAnswer> {
  const isYaml = isYamlText(text);
  const parsed = isYaml ? await parseYaml(text) : parse(text);
  if (!parsed.ok) {
    return { ok: false, reason: isYaml ? 'yaml' : 'json', message: parsed.message, at: parsed.at };
  }
  if (!isJsonObject(parsed.value)) return { ok: false, reason: 'no_object', message: '', at: null };
  const faults = checkSchema(parsed.value, dialect === null ? {} : { dialect });
  return {
    ok: true,
    schema: parsed.value,
    faults: faults.map(({ path, message }) => ({ path, message })),
    remarks: faults.length > 0 ? [] : findIdleKeywords(parsed.value, dialect ?? undefined),
  };
}

type Parsed =
  | { readonly ok: true; readonly value: Json }
  | Pick<Extract<ReadAnswer, { ok: false }>, 'ok' | 'message' | 'at'>;

function parse(text: string): Parsed {
  const parsed = parseEditedJson(text);
  if (parsed.ok) return parsed;
  const { message } = parsed;
  // Browsers name the place in two ways, or not at all.
  const written = /line (\d+) column (\d+)/.exec(message);
  if (written !== null) return { ok: false, message, at: placeOf(written) };
  const position = /position (\d+)/.exec(message);
  const before = position === null ? null : text.slice(0, Number(position[1]));
  const end = /end of (?:JSON input|data)/i.test(message) ? text : before;
  if (end === null) return { ok: false, message, at: null };
  const lines = end.split('\n');
  return {
    ok: false,
    message,
    at: { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 },
  };
}

async function parseYaml(text: string): Promise<Parsed> {
  const { parseYamlText } = await import('../../core/import/yaml-text.ts');
  const parsed = parseYamlText(text);
  if (parsed.ok) return parsed;
  const written = /^line (\d+), column (\d+)$/.exec(parsed.place);
  return {
    ok: false,
    message: parsed.message,
    at: written === null ? null : placeOf(written),
  };
}

function placeOf([, line, column]: RegExpExecArray) {
  return { line: Number(line), column: Number(column) };
}
