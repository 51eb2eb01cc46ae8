// Reads the body of an import: its JSON, and the document in it.

import { hash } from 'node:crypto';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import type {
  CandidateTerms,
  DocumentKind,
  ImportKind,
  ParsedImport,
} from '../core/import/candidate.ts';
import { type DbtOptions, parseDbtManifest } from '../core/import/dbt/dbt.ts';
import { indexManifest, type NodeIndex } from '../core/import/dbt/run-results-index.ts';
import { parseGraphql } from '../core/import/graphql/graphql.ts';
import { parseOdcs } from '../core/import/odcs/odcs.ts';
import { parseOpenApi } from '../core/import/openapi/openapi.ts';
import type { SourceTitle } from '../core/import/plan/report-kinds.ts';
import { memberOf, textAt } from '../core/import/read-json.ts';
import { checkSchema as findFaults } from '../core/schema/check-schema.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  maxJsonDepth,
  parseJson,
} from '../core/value/json.ts';
import type { ReadImport } from '../registry/imports/import.types.ts';
import { checkSchema } from './check-schema.ts';
import { digestOf } from './examine.ts';

/** The defaults from the registry's settings. */
export type DbtSettings = Required<DbtOptions>;

export interface ReadDocument {
  /** The body without its document, which is replaced by an empty one of its kind. */
  readonly envelope: Json;
  /**
   * Whether it may contain numbers that are kept as text; for YAML and SDL this is unknown, so
   * true.
   */
  readonly hasExactNumbers: boolean;
  /** Empty if the body is of another kind, or if the envelope is invalid. */
  readonly read: ReadImport;
  /** Null if the body is of another kind. */
  readonly runResults: ReadRunResults | null;
}

interface ReadRunResults {
  readonly results: Json;
  /** From the manifest that came with them; null without one. */
  readonly index: NodeIndex | null;
}

/** @example readDocument('graphql', '{"schema": "type A { b: Int }"}', settings) */
export function readDocument(
  kind: DocumentKind,
  text: string,
  settings: DbtSettings,
): Outcome<ReadDocument> {
  const body = parseJson(text, maxJsonDepth, memoryLimitOf(text.length));
  if (!body.ok) {
    if (body.reason === 'too_large') {
      return refuse('PAYLOAD_TOO_LARGE', `${body.message} Nothing was imported.`);
    }
    const place = placeOf(body.message, text.length);
    return refuse('INVALID_JSON', `The body is not valid JSON: ${body.message}`, {
      details: place === null ? {} : { place },
    });
  }
  const { hasExactNumbers } = body;
  if (kind === 'run_results') return accept(readRunResults(body.value, hasExactNumbers));
  const { member, takesText, takesObject, parse } = readers[kind];
  const envelope = isJsonObject(body.value) ? body.value : null;
  const document = envelope?.[member];
  const isTaken =
    document !== undefined &&
    (isJsonObject(document) ? takesObject : takesText && typeof document === 'string');
  // The validation of the envelope reports the problem.
  if (envelope === null || !isTaken) {
    return accept({ envelope: body.value, hasExactNumbers, read: nothing, runResults: null });
  }
  const { parsed, title } = parse(document, envelope, settings);
  const isText = typeof document === 'string';
  return accept({
    envelope: { ...envelope, [member]: isText ? '' : {} },
    hasExactNumbers: hasExactNumbers || isText,
    read: { ...ofSchemas, parsed, fingerprints: fingerprintsOf(parsed), title },
    runResults: null,
  });
}

/**
 * The memory for the values of a file: a dbt manifest takes three times its size, and every file
 * may use the first amount. A thread never exceeds the second, whatever is sent.
 */
const anyFileBytes = 48 * 1024 * 1024;
const factorOfText = 4;
const mostBytes = 400 * 1024 * 1024;

function memoryLimitOf(size: number): number {
  return Math.min(mostBytes, anyFileBytes + factorOfText * size);
}

/** The parser's position of the error. A text that ends too early has the error at its end. */
function placeOf(message: string, length: number): string | null {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line !== undefined) return `line ${line}, column ${column}`;
  return /end of JSON input/.test(message) ? `after ${length} characters` : null;
}

/** Called only for schemas that the registry does not have yet. */
const ofSchemas: Pick<ReadImport, 'checkSchema' | 'digestOf'> = {
  checkSchema: checkTerms,
  digestOf: ({ schema, dialect }) => digestOf(schema, dialect),
};

const nothing: ReadImport = {
  ...ofSchemas,
  parsed: { candidates: [], problems: [] },
  fingerprints: [],
  title: null,
};

/**
 * Run results in an envelope, or the file as dbt wrote it, which is recognized by its list of
 * results.
 */
function readRunResults(body: Json, hasExactNumbers: boolean): ReadDocument {
  const isFile =
    memberOf(body, 'run_results') === undefined && memberOf(body, 'results') !== undefined;
  const envelope: Json = isFile ? { run_results: body } : body;
  const results = memberOf(envelope, 'run_results');
  const manifest = memberOf(envelope, 'manifest');
  if (!isJsonObject(envelope) || results === undefined || !isJsonObject(results)) {
    return { envelope, hasExactNumbers, read: nothing, runResults: null };
  }
  const hasManifest = manifest !== undefined && isJsonObject(manifest);
  return {
    envelope: { ...envelope, run_results: {}, ...(hasManifest ? { manifest: {} } : {}) },
    hasExactNumbers,
    read: nothing,
    runResults: { results, index: hasManifest ? indexManifest(manifest) : null },
  };
}

interface Reader {
  readonly member: string;
  readonly takesText: boolean;
  readonly takesObject: boolean;
  readonly parse: (
    document: Json,
    envelope: JsonObject,
    settings: DbtSettings,
  ) => { readonly parsed: ParsedImport; readonly title: SourceTitle | null };
}

const readers: Readonly<Record<ImportKind, Reader>> = {
  dbt: {
    member: 'manifest',
    takesText: false,
    takesObject: true,
    parse: (document, envelope, settings) => ({
      parsed: parseDbtManifest(document, dbtOptionsOf(envelope, settings)),
      title: null,
    }),
  },
  openapi: {
    member: 'spec',
    takesText: false,
    takesObject: true,
    parse: (document, envelope) => {
      const naming = envelope.naming === 'path' ? 'path' : 'title';
      const { apiTitle, apiVersion, ...parsed } = parseOpenApi(document, {
        naming,
        ...prefixOf(envelope),
      });
      return { parsed, title: { apiTitle, apiVersion } };
    },
  },
  graphql: {
    member: 'schema',
    takesText: true,
    takesObject: false,
    parse: (document, envelope) => ({
      parsed: parseGraphql(String(document), prefixOf(envelope)),
      title: null,
    }),
  },
  odcs: {
    member: 'contract',
    takesText: true,
    takesObject: true,
    parse: (document) => ({ parsed: parseOdcs(document), title: null }),
  },
};

function prefixOf(envelope: JsonObject): { readonly prefix?: string } {
  const prefix = textAt(envelope, 'prefix');
  return prefix === undefined ? {} : { prefix };
}

/** A call may override the registry's settings; the validation of the envelope checks the types. */
function dbtOptionsOf(envelope: JsonObject, settings: DbtSettings): DbtSettings {
  const stated = (key: string, set: boolean) => {
    const value = envelope[key];
    return typeof value === 'boolean' ? value : set;
  };
  return {
    metaAliases: settings.metaAliases,
    nullableColumns: stated('nullable_columns', settings.nullableColumns),
    integerAtScale0: stated('integer_at_scale_0', settings.integerAtScale0),
    notNullAsRequired: stated('not_null_as_required', settings.notNullAsRequired),
  };
}

/**
 * Digests of the exact text: a contract stores its schema as written, so the database can compute
 * the same digest.
 */
function fingerprintsOf({ candidates }: ParsedImport): readonly (string | null)[] {
  return candidates.map(({ terms }) =>
    terms === null ? null : hash('sha256', JSON.stringify(terms.schema)),
  );
}

/**
 * Schemas from dbt and GraphQL are made by our own code, so the second opinion, which takes as long
 * as the first, is skipped. Tests apply it to schemas of real files.
 */
function checkTerms({ schema, dialect, format }: CandidateTerms): Outcome<true> {
  if (format !== 'dbt' && format !== 'graphql') return checkSchema(schema, dialect);
  const [fault] = findFaults(schema, dialect === undefined ? {} : { dialect });
  if (fault === undefined) return accept(true);
  return refuse(fault.code, `${fault.path}: ${fault.message}`);
}
