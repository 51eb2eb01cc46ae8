// Makes the subjects of each kind of file: their keys and their origins.

import type { Direction } from '../../core/comparison.ts';
import {
  type Candidate,
  type CandidateTerms,
  type ImportKind,
  type ImportProblem,
  type ParsedImport,
  unreadOf,
} from '../../core/import/candidate.ts';
import { sharedDefinitionsOf } from '../../core/import/document-kinds.ts';
import { toPointer } from '../../core/import/openapi/openapi-document.ts';
import type { ParsedParts } from '../../core/import/parts/parts.ts';
import { textAt } from '../../core/import/read-json.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import { isJsonObject, type Json } from '../../core/value/json.ts';
import { stepsOf } from '../../core/value/json-path.ts';
import { type DataContract, dataContractOf, type FindDocument } from './data-contract.ts';
import { unreadable } from './read-text.ts';
import type {
  InputProblem,
  Origin,
  ReadFile,
  ReadOptions,
  SourceFile,
  Subject,
} from './subject.ts';

/**
 * A bare schema, named after its file. If the file only holds definitions for other files, each
 * definition is a subject. `schema` is the written schema with the files that it refers to.
 */
export function schemaSubjects(
  file: SourceFile,
  written: Json,
  schema: Json,
  options: ReadOptions,
): ReadFile {
  if (!isJsonObject(schema) && typeof schema !== 'boolean') {
    throw unreadable(file, '$', 'this is not a JSON Schema: it must be an object or a boolean.');
  }
  const terms: CandidateTerms = {
    schema,
    // The command line checks both options against their choices before it reads anything.
    direction: (options.direction ?? 'data') as Direction,
    format: 'jsonschema',
    ...(options.dialect === undefined ? {} : { dialect: options.dialect as Dialect }),
  };
  const origin: Origin = {
    file: file.path,
    at: { kind: 'steps', steps: [] },
    text: file.text,
  };
  const whole: Subject = {
    ...nobody,
    key: file.name,
    home: null,
    name: file.path,
    terms,
    origin,
  };
  const definitions = sharedDefinitionsOf(written);
  const subjects = definitions?.map(({ holder, name }): Subject => {
    const pointer = toPointer([holder, name]);
    return {
      ...whole,
      key: pointer,
      home: file.name,
      name: `${file.path}${pointer}`,
      terms: { ...terms, schema: { ...Object(schema), allOf: [{ $ref: pointer }] } },
    };
  });
  return {
    ...fileOf(file),
    kind: 'jsonschema',
    holdsMany: definitions !== null,
    document: written,
    subjects: subjects ?? [whole],
    problems: [],
  };
}

function fileOf({ path, name }: SourceFile): Pick<ReadFile, 'path' | 'name'> {
  return { path, name };
}

/** A contract of a kind that is not read. */
export function unreadFile(file: SourceFile, document: Json, message: string): ReadFile {
  const where = { file: file.path, place: '$', code: 'NOT_READ' };
  return {
    ...fileOf(file),
    kind: null,
    holdsMany: false,
    document,
    subjects: [],
    problems: [{ ...where, message, leavesUnread: true }],
  };
}

type Steps = readonly (string | number)[];

const nobody = {
  fqn: null,
  environment: null,
  guaranteeMode: null,
  consumers: [],
  manifest: null,
} as const;

/** The DataContracts among a file's documents; other documents are not compared. */
export async function dataContractSubjects(
  file: SourceFile,
  documents: readonly Json[],
  contracts: readonly Json[],
  findDocument: FindDocument,
): Promise<ReadFile> {
  const taken = contracts.length > 0 ? contracts : documents;
  const subjects: Subject[] = [];
  for (const value of taken) {
    const label = taken.length > 1 ? `document ${documents.indexOf(value) + 1}` : '$';
    if (!isJsonObject(value)) throw unreadable(file, label, 'this is not a DataContract.');
    const read = await dataContractOf(value, findDocument);
    if (!read.ok) {
      const place = label === '$' ? '$' : `${label}, ${read.place}`;
      throw unreadable(file, place, read.message);
    }
    const { terms, fqn, environment, guaranteeMode, consumers, name, document } = read.value;
    subjects.push({
      key: fqn === null ? (name ?? file.name) : `${environment ?? 'production'} ${fqn}`,
      home: null,
      name: fqn ?? name ?? file.path,
      fqn,
      environment,
      terms,
      guaranteeMode,
      consumers,
      manifest: value,
      ...(document === null
        ? { origin: originIn(file, documents.indexOf(value), ['spec', 'schema']) }
        : takenFrom(document)),
    });
  }
  return {
    ...fileOf(file),
    kind: 'datacontract',
    holdsMany: false,
    document: null,
    subjects,
    problems: [],
  };
}

/** People edit the file that the schema is in. */
function takenFrom({
  file,
  candidate,
}: NonNullable<DataContract['document']>): Pick<Subject, 'origin' | 'takes'> {
  if (candidate !== null) {
    const { key } = keyOf(file, candidate);
    return { origin: originOf(file, candidate), takes: { file, kind: candidate.label.kind, key } };
  }
  const origin: Origin = { file: file.path, at: { kind: 'steps', steps: [] }, text: file.text };
  return { origin, takes: { file, kind: 'jsonschema', key: file.name } };
}

/**
 * The named schemas of a file, of one document or of several. The places in several documents start
 * with the index of the document.
 */
export function partSubjects(
  file: SourceFile,
  kind: 'crd' | 'asyncapi',
  documents: readonly Json[],
  read: readonly (ParsedParts | null)[],
): ReadFile {
  const isOne = documents.length === 1;
  const placed = (place: string, index: number) =>
    isOne ? place : place.replace('$', `$[${index}]`);
  const subjects = read.flatMap((parsed, index) =>
    (parsed?.parts ?? []).map(({ name, terms, place }): Subject => {
      return {
        ...nobody,
        key: name,
        home: kind === 'crd' ? null : file.name,
        name,
        terms,
        origin: originIn(file, index, stepsOf(place)),
      };
    }),
  );
  const problems = read.flatMap((parsed, index) =>
    (parsed?.problems ?? []).map((problem) =>
      problemOf(
        file,
        { ...problem, place: placed(problem.place, index) },
        unreadOf([problem], []).size > 0,
      ),
    ),
  );
  const document = isOne ? (documents[0] ?? null) : documents;
  return { ...fileOf(file), kind, holdsMany: true, document, subjects, problems };
}

function problemOf(
  { path: file }: SourceFile,
  { code, message, place, unread, item }: ImportProblem,
  leavesUnread: boolean,
): InputProblem {
  const further = {
    ...(unread === undefined ? {} : { unread }),
    ...(item === undefined ? {} : { item }),
  };
  return { file, place, message, code, leavesUnread, ...further };
}

/** Lines can be found only in the first document; later ones start at an unknown line. */
function originIn(file: SourceFile, documentIndex: number, steps: Steps): Origin {
  if (documentIndex === 0) {
    const at = { kind: 'steps', steps } as const;
    return { file: file.path, at, text: file.text };
  }
  const lines = file.text.split('\n');
  const starts = lines.flatMap((line, index) => (/^---(\s|$)/.test(line) ? [index + 2] : []));
  // A marker at the start of the file belongs to its first document.
  const hasLeading = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const isMarked = /^---(\s|$)/.test(lines[hasLeading] ?? '');
  const line = starts[isMarked ? documentIndex : documentIndex - 1] ?? 1;
  return { file: file.path, at: { kind: 'line', line }, text: file.text };
}

export function importSubjects(
  file: SourceFile,
  kind: ImportKind,
  parsed: ParsedImport,
  options: ReadOptions,
): Omit<ReadFile, 'document'> {
  const unread = unreadOf(parsed.problems, parsed.candidates);
  return {
    ...fileOf(file),
    kind,
    holdsMany: true,
    subjects: parsed.candidates
      .filter(({ isReference }) => isReference !== true)
      .map((candidate) => toSubject(file, candidate, options)),
    problems: parsed.problems.map((problem) => problemOf(file, problem, unread.has(problem))),
  };
}

function toSubject(file: SourceFile, candidate: Candidate, options: ReadOptions): Subject {
  const { fqn, environment = null, terms, emptyTerms, consumers } = candidate;
  const direction = options.direction as Direction | undefined;
  const directed = (stated: CandidateTerms) =>
    direction === undefined ? stated : { ...stated, direction };
  return {
    ...keyOf(file, candidate),
    name: nameOf(candidate),
    ...(candidate.label.kind === 'openapi' && { path: candidate.label.path }),
    ...(candidate.label.kind === 'dbt' && { node: candidate.label.node_id }),
    fqn,
    environment,
    terms: terms === null ? null : directed(terms),
    ...(emptyTerms === undefined ? {} : { emptyTerms: directed(emptyTerms) }),
    guaranteeMode: null,
    consumers,
    manifest: null,
    origin: originOf(file, candidate),
  };
}

/**
 * The key of an item within its kind of file. For an operation it is the method and path. The FQN
 * contains the document's title, and a new title breaks nobody.
 */
function keyOf(
  { name: home }: SourceFile,
  { label, fqn, environment }: Candidate,
): Pick<Subject, 'key' | 'home'> {
  switch (label.kind) {
    case 'openapi':
      return { key: `${label.method} ${label.path}`, home };
    case 'graphql':
      return { key: label.type_name, home };
    case 'dbt':
    case 'odcs':
      return { key: `${environment ?? 'production'} ${fqn}`, home: null };
    default:
      return label satisfies never;
  }
}

function nameOf({ label, fqn }: Candidate): string {
  switch (label.kind) {
    case 'openapi':
      return `${label.method.toUpperCase()} ${label.path}`;
    case 'graphql':
      return label.type_name;
    case 'dbt':
    case 'odcs':
      return fqn;
    default:
      return label satisfies never;
  }
}

function originOf(file: SourceFile, { label, place, metadata }: Candidate): Origin {
  const line = /^line (\d+)/.exec(place)?.[1];
  if (line !== undefined) {
    return { file: file.path, at: { kind: 'line', line: Number(line) }, text: null };
  }
  // dbt generates the manifest; people edit the model's own file in the surrounding project.
  const path = label.kind === 'dbt' ? textAt(metadata, 'path') : undefined;
  if (path !== undefined) {
    return { file: besideTarget(file.path, path), at: { kind: 'line', line: 1 }, text: null };
  }
  return { file: file.path, at: { kind: 'steps', steps: stepsOf(place) }, text: file.text };
}

/**
 * Combines `project/target/manifest.json` and `models/orders.sql` into `project/models/orders.sql`.
 */
function besideTarget(manifest: string, path: string): string {
  const project = /^(.*\/)?target\/[^/]+$/.exec(manifest);
  return project === null ? path : `${project[1] ?? ''}${path}`;
}
