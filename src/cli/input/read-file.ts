// Reads a file of any kind into the subjects that it describes. A fault of the whole file ends the
// command; a fault of one item is reported, and the rest continues.

import type { ParsedImport } from '../../core/import/candidate.ts';
import {
  isMeantAsInput,
  isSchemaBySelf,
  isSdl,
  kindOfJson,
} from '../../core/import/detect-kind.ts';
import { type Json, type JsonParsed, parseJson } from '../../core/value/json.ts';
import { parseYamlDocuments } from '../parse-yaml.ts';
import { findJsonFault } from './find-json-fault.ts';
import { dataContractSubjects, importSubjects, schemaSubject } from './make-subjects.ts';
import { unreadable } from './read-text.ts';
import type { InputKind, ReadFile, ReadOptions, SourceFile } from './subject.ts';

/** Null for a file in a folder that is not an input. */
export async function readSourceFile(
  file: SourceFile,
  options: ReadOptions,
): Promise<ReadFile | null> {
  const kind = options.kind;
  if (kind === 'graphql' || (kind === undefined && isSdl(file.text, file.name))) {
    const { parseGraphql } = await import('../../core/import/graphql/graphql.ts');
    const read = parseGraphql(file.text, prefixOf(options));
    return ofImport(file, 'graphql', file.text, read, options);
  }
  const parsed = await parseDocuments(file);
  if (parsed === null) return null;
  const contracts = parsed.filter((value) => kindOfJson(value) === 'datacontract');
  if (kind === 'datacontract' || (kind === undefined && contracts.length > 0)) {
    return dataContractSubjects(file, parsed, contracts);
  }
  const [value = null, ...others] = parsed;
  if (others.length > 0) {
    if (!file.isNamed) return null;
    throw unreadable(file, '$', 'it contains several documents, but none is a DataContract');
  }
  return readJson(file, value, options);
}

async function readJson(
  file: SourceFile,
  value: Json,
  options: ReadOptions,
): Promise<ReadFile | null> {
  const kind = options.kind ?? kindOfJson(value) ?? 'jsonschema';
  switch (kind) {
    case 'dbt': {
      const { parseDbtManifest } = await import('../../core/import/dbt/dbt.ts');
      return ofImport(file, kind, value, parseDbtManifest(value, options), options);
    }
    case 'openapi': {
      const { parseOpenApi } = await import('../../core/import/openapi/openapi.ts');
      const { naming } = options;
      const parsed = parseOpenApi(value, {
        ...prefixOf(options),
        ...(naming === undefined ? {} : { naming }),
      });
      return ofImport(file, kind, value, parsed, options);
    }
    case 'odcs': {
      const { parseOdcs } = await import('../../core/import/odcs/odcs.ts');
      return ofImport(file, kind, value, parseOdcs(value), options);
    }
    case 'jsonschema': {
      const isTaken =
        file.isNamed || options.kind !== undefined || isSchemaBySelf(value, file.name);
      return isTaken ? await schemaSubject(file, value, options) : null;
    }
    case 'datacontract':
    case 'graphql':
      return null;
    default:
      return kind satisfies never;
  }
}

function ofImport(
  file: SourceFile,
  kind: Exclude<InputKind, 'jsonschema' | 'datacontract'>,
  document: Json,
  parsed: ParsedImport,
  options: ReadOptions,
): ReadFile {
  const [fatal] = parsed.problems.filter((problem) => problem.fatal);
  if (fatal !== undefined) throw unreadable(file, fatal.place, fatal.message);
  return { ...importSubjects(file, kind, parsed, options), document };
}

function prefixOf({ prefix }: ReadOptions): { readonly prefix?: string } {
  return prefix === undefined ? {} : { prefix };
}

/** Null if a file in a folder is neither JSON nor YAML, and was not named as an input. */
async function parseDocuments(file: SourceFile): Promise<readonly Json[] | null> {
  const parsed = parseJson(file.text);
  if (parsed.ok) return [parsed.value];
  const isForeign = !file.isNamed && !isMeantAsInput(file.text);
  // JSON with a fault is reported as JSON, because YAML's message would mislead.
  if (parsed.reason === 'too_deep' || file.name.endsWith('.json')) {
    if (isForeign) return null;
    throw unreadable(file, ...explainJson(file.text, parsed));
  }
  const yaml = await parseYamlDocuments(file.text);
  if (yaml.ok) return yaml.values;
  if (isForeign) return null;
  throw unreadable(file, '$', `neither JSON nor YAML: ${yaml.message}`);
}

/** The problem with its line and column, which the parser reports only sometimes. */
function explainJson(
  text: string,
  { reason, message }: Extract<JsonParsed, { ok: false }>,
): readonly [place: string, message: string] {
  if (reason === 'too_deep') return ['$', message];
  const offset = findJsonFault(text);
  const before = text.slice(0, offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  const found = text.slice(offset, offset + 1);
  const what =
    found === ''
      ? 'the JSON ends too early. The file may be truncated, or a bracket or quote is not closed'
      : found === '"'
        ? 'this is not JSON: the string that starts here is not closed or not escaped'
        : `this is not JSON: ${JSON.stringify(found)} is not allowed here`;
  return [place, `${what}.`];
}
