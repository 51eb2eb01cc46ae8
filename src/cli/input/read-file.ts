// Reads a file of any kind into the subjects that it describes. A fault of the whole file ends the
// command; a fault of one item is reported, and the rest continues.

import {
  fatalOf,
  type ImportKind,
  type ImportProblem,
  type ParsedImport,
} from '../../core/import/candidate.ts';
import {
  isJsonText,
  isMeantAsInput,
  isSchemaBySelf,
  type KindOfDocument,
  kindOfDocument,
  kindOfText,
  unknownKind,
} from '../../core/import/document-kinds.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import { defaultDialect } from '../../core/schema/keywords.ts';
import { type Json, type JsonParsed, maxJsonDepth, parseJson } from '../../core/value/json.ts';
import { placeAt } from '../json-text.ts';
import { parseYamlDocuments } from '../parse-yaml.ts';
import type { FindDocument } from './data-contract.ts';
import { findJsonFault } from './find-json-fault.ts';
import { findRepeatedKeys } from './find-repeated-keys.ts';
import { createLibrary, type Library } from './library.ts';
import {
  dataContractSubjects,
  importSubjects,
  partSubjects,
  schemaSubjects,
  unreadFile,
} from './make-subjects.ts';
import { unreadable } from './read-text.ts';
import type { InputProblem, ReadFile, ReadOptions, SourceFile } from './subject.ts';

/** Null for a file in a folder that is not an input. */
export async function readSourceFile(
  file: SourceFile,
  options: ReadOptions,
  library: Library = createLibrary([file]),
): Promise<ReadFile | null> {
  const stated: KindOfDocument | null =
    options.kind === undefined ? null : { words: '', reader: options.kind };
  const ofText = stated ?? kindOfText(file.text, file.name);
  // An introspection of GraphQL is JSON, so only other text is SDL.
  const isText = ofText !== null && (ofText.reader === 'graphql' || ofText.reader === null);
  if (isText && !isJsonText(file.text))
    return readAs(ofText, file, file.text, { options, library });
  const documents = await parseDocuments(file);
  if (documents === null) return null;
  const read = await readDocuments(documents.values, file, stated, { options, library });
  return read === null ? null : { ...read, problems: [...read.problems, ...documents.problems] };
}

interface Reading {
  readonly options: ReadOptions;
  readonly library: Library;
}

async function readDocuments(
  parsed: readonly Json[],
  file: SourceFile,
  stated: KindOfDocument | null,
  reading: Reading,
): Promise<ReadFile | null> {
  const kinds = parsed.map((value) => stated ?? kindOfDocument(value) ?? unknownKind(value));
  const [value = null, ...others] = parsed;
  const [kind = unknownKind(null)] = kinds;
  if (kinds.some(({ reader }) => reader === 'datacontract')) {
    const contracts = parsed.filter((_, index) => kinds[index]?.reader === 'datacontract');
    return dataContractSubjects(file, parsed, contracts, documentsOf(file, reading));
  }
  if (others.length === 0) return readAs(kind, file, value, reading);
  if (kinds.some(({ reader }) => reader === 'crd')) {
    const { parseCrd } = await import('../../core/import/parts/crd.ts');
    const read = parsed.map((each, index) =>
      kinds[index]?.reader === 'crd' ? parseCrd(each) : null,
    );
    return partSubjects(file, 'crd', parsed, read);
  }
  if (!file.isNamed) return null;
  throw unreadable(
    file,
    '$',
    'it contains several documents, but none is a DataContract or a CustomResourceDefinition',
  );
}

async function readAs(
  kind: KindOfDocument,
  file: SourceFile,
  value: Json,
  { options, library }: Reading,
): Promise<ReadFile | null> {
  const { reader } = kind;
  switch (reader) {
    case null:
      if (file.isNamed) throw unreadable(file, '$', kind.refusal);
      return kind.isContract ? unreadFile(file, value, kind.refusal) : null;
    case 'graphql': {
      const { parseGraphql } = await import('../../core/import/graphql/graphql.ts');
      return ofImport(
        file,
        reader,
        file.text,
        parseGraphql(file.text, { ...prefixOf(options), withDirectives: true }),
        options,
      );
    }
    case 'dbt': {
      const { parseDbtManifest } = await import('../../core/import/dbt/dbt.ts');
      const { listSemanticNodes } = await import('../../core/import/dbt/semantic.ts');
      const parsed = parseDbtManifest(value, options);
      const problems = [...parsed.problems, ...listSemanticNodes(value)];
      return ofImport(file, reader, value, { ...parsed, problems }, options);
    }
    case 'openapi': {
      const { parseOpenApi } = await import('../../core/import/openapi/openapi.ts');
      const { naming } = options;
      const whole = await library.follow(file, value);
      const parsed = parseOpenApi(whole, {
        ...prefixOf(options),
        ...(naming === undefined ? {} : { naming }),
      });
      return ofImport(file, reader, whole, parsed, options);
    }
    case 'odcs': {
      const { parseOdcs } = await import('../../core/import/odcs/odcs.ts');
      const whole = await library.follow(file, value);
      return ofImport(file, reader, whole, parseOdcs(whole), options);
    }
    case 'jsonschema': {
      const isTaken =
        file.isNamed || options.kind !== undefined || isSchemaBySelf(value, file.name);
      if (!isTaken) return null;
      const dialect = (options.dialect ?? defaultDialect) as Dialect;
      return schemaSubjects(file, value, await library.embed(file, value, dialect), options);
    }
    case 'crd': {
      const { parseCrd } = await import('../../core/import/parts/crd.ts');
      return partSubjects(file, reader, [value], [parseCrd(value)]);
    }
    case 'asyncapi': {
      const { parseAsyncApi } = await import('../../core/import/parts/asyncapi.ts');
      const whole = await library.follow(file, value);
      const read = parseAsyncApi(whole);
      refuseFatal(file, read.problems);
      return partSubjects(file, reader, [whole], [read]);
    }
    case 'datacontract':
      return dataContractSubjects(file, [value], [value], documentsOf(file, { options, library }));
    default:
      return reader satisfies never;
  }
}

function documentsOf(file: SourceFile, { library }: Reading): FindDocument {
  return (path) => library.findDocument(file, path);
}

function ofImport(
  file: SourceFile,
  kind: ImportKind,
  document: Json,
  parsed: ParsedImport,
  options: ReadOptions,
): ReadFile {
  refuseFatal(file, parsed.problems);
  return { ...importSubjects(file, kind, parsed, options), document };
}

function refuseFatal(file: SourceFile, problems: readonly ImportProblem[]): void {
  const fatal = fatalOf(problems);
  if (fatal !== null) throw unreadable(file, fatal.place, fatal.message);
}

function prefixOf({ prefix }: ReadOptions): { readonly prefix?: string } {
  return prefix === undefined ? {} : { prefix };
}

interface Documents {
  readonly values: readonly Json[];
  /** What the parser does not say. */
  readonly problems: readonly InputProblem[];
}

/** The values of a file take at most this much; a heap of 2 GiB has room for two of them. */
const maxMemoryBytes = 768 * 1024 * 1024;
/** The parser of YAML took 110 bytes of memory for each character of a text of 4 MB. */
const maxYamlLength = 16 * 1024 * 1024;

/** Null if a file in a folder is neither JSON nor YAML, and was not named as an input. */
async function parseDocuments(file: SourceFile): Promise<Documents | null> {
  const parsed = parseJson(file.text, maxJsonDepth, maxMemoryBytes);
  if (parsed.ok) {
    return { values: [parsed.value], problems: findRepeatedKeys(file, parsed.value) };
  }
  const isForeign = !file.isNamed && !isMeantAsInput(file.text);
  // JSON with a fault is reported as JSON, because YAML's message would mislead.
  if (parsed.reason !== 'syntax' || file.name.endsWith('.json')) {
    if (isForeign) return null;
    throw unreadable(file, ...explainJson(file.text, parsed));
  }
  if (file.text.length > maxYamlLength) {
    if (isForeign) return null;
    throw unreadable(file, '$', `YAML may have ${maxYamlLength} characters. Convert it to JSON.`);
  }
  const yaml = await parseYamlDocuments(file.text);
  if (yaml.ok) return { values: yaml.values, problems: [] };
  if (isForeign) return null;
  throw unreadable(file, '$', `neither JSON nor YAML: ${yaml.message}`);
}

/** The problem with its line and column, which the parser reports only sometimes. */
function explainJson(
  text: string,
  { reason, message }: Extract<JsonParsed, { ok: false }>,
): readonly [place: string, message: string] {
  if (reason !== 'syntax') return ['$', message];
  const offset = findJsonFault(text);
  const place = placeAt(text, offset);
  const found = text.slice(offset, offset + 1);
  const what =
    found === ''
      ? 'the JSON ends too early. The file may be truncated, or a bracket or quote is not closed'
      : found === '"'
        ? 'this is not JSON: the string that starts here is not closed or not escaped'
        : `this is not JSON: ${JSON.stringify(found)} is not allowed here`;
  return [place, `${what}.`];
}
