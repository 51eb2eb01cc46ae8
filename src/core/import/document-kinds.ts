// The only table of kinds of documents: how each is recognized, its name in words, and which reader
// reads it, or why none does. docs/decisions/documents.md has the rules.

import { constraintsOf, dialects, keywordsOf } from '../schema/keywords.ts';
import { isJsonObject, type Json } from '../value/json.ts';
import { arrayAt, kindOf, memberOf, objectAt, textAt } from './read-json.ts';

/** The readers, in the order in which `--kind` lists them. */
export const inputKinds = [
  'jsonschema',
  'datacontract',
  'dbt',
  'openapi',
  'graphql',
  'odcs',
  'crd',
  'asyncapi',
] as const;

export type InputKind = (typeof inputKinds)[number];

/** What a document is. */
export type KindOfDocument = ReadKind | UnreadKind;

interface ReadKind {
  readonly words: string;
  readonly reader: InputKind;
}

interface UnreadKind {
  readonly words: string;
  readonly reader: null;
  /** What it is, and what to do instead. */
  readonly refusal: string;
  /** A contract is reported even if it is one of many files in a folder. */
  readonly isContract: boolean;
}

type Row = KindOfDocument & { readonly applies: (value: Json) => boolean };

function read(words: string, reader: InputKind, applies: Row['applies']): Row {
  return { words, reader, applies };
}

/** A contract of a kind that is not read. */
function unread(words: string, instead: string, applies: Row['applies']): Row {
  return { words, reader: null, refusal: refusalOf(words, instead), isContract: true, applies };
}

/** No contract at all, so a folder may contain it. */
function foreign(words: string, instead: string, applies: Row['applies']): Row {
  return { words, reader: null, refusal: refusalOf(words, instead), isContract: false, applies };
}

const giveManifest = 'Give the manifest instead: target/manifest.json.';

/** The first matching row applies. */
const rows: readonly Row[] = [
  read('an OpenAPI document', 'openapi', has('openapi')),
  read('a Swagger document', 'openapi', has('swagger')),
  read('an AsyncAPI document', 'asyncapi', has('asyncapi')),
  unread(
    'an OpenRPC document',
    'Compare the schemas of its methods as JSON Schemas.',
    has('openrpc'),
  ),
  unread('an Arazzo document', 'Compare the OpenAPI documents that it uses.', has('arazzo')),
  unread('a Postman collection', 'Export it as OpenAPI.', (value) =>
    (textAt(objectAt(value, 'info'), 'schema') ?? '').includes('getpostman.com/'),
  ),
  read('a Data Contract Specification', 'odcs', has('dataContractSpecification')),
  read(
    'an ODCS contract',
    'odcs',
    (value) =>
      memberOf(value, 'kind') === 'DataContract' &&
      (/^v\d/.test(textAt(value, 'apiVersion') ?? '') || has('schema')(value)),
  ),
  read(
    'an ODCS contract of version 2',
    'odcs',
    (value) =>
      arrayAt(value, 'dataset') !== undefined &&
      (has('quantumName')(value) || has('templateVersion')(value)),
  ),
  read('a DataContract', 'datacontract', (value) => memberOf(value, 'kind') === 'DataContract'),
  read('a CustomResourceDefinition', 'crd', (value) =>
    /^(CustomResource|CompositeResource)Definition$/.test(textAt(value, 'kind') ?? ''),
  ),
  foreign(
    'a file of run results, a different dbt file',
    `Record them with concordat import. To compare models, give target/manifest.json.`,
    isRunResults,
  ),
  foreign(
    'a different dbt file',
    giveManifest,
    (value) => dbtVersion(value) !== '' && !dbtVersion(value).includes('/manifest/'),
  ),
  read(
    'a dbt manifest',
    'dbt',
    (value) =>
      dbtVersion(value) !== '' ||
      (has('nodes')(value) && (has('sources')(value) || has('macros')(value))),
  ),
  foreign(
    'a semantic manifest of dbt',
    giveManifest,
    (value) => has('semantic_models')(value) && has('project_configuration')(value),
  ),
  foreign(
    "a file of a dbt project's properties",
    `dbt reads it together with SQL. ${giveManifest}`,
    (value) =>
      (memberOf(value, 'version') === 2 || has('config-version')(value)) &&
      ['models', 'sources', 'seeds', 'snapshots', 'metrics', 'model-paths', 'profile'].some((key) =>
        has(key)(value),
      ),
  ),
  read('an introspection of a GraphQL schema', 'graphql', (value) =>
    isJsonObject(objectAt(value, '__schema') ?? objectAt(objectAt(value, 'data'), '__schema')),
  ),
  unread(
    'an Avro schema',
    'Check it with the compatibility rules of your schema registry, or convert it to JSON Schema.',
    (value) => (Array.isArray(value) ? value.some(isAvro) : isAvro(value)),
  ),
  unread(
    'a JSON Type Definition',
    'Convert it to JSON Schema.',
    (value) => has('optionalProperties')(value) || (has('elements')(value) && !has('type')(value)),
  ),
  unread(
    'a Table Schema or a list of columns',
    'Convert it to JSON Schema, or to an ODCS contract.',
    (value) => isColumns(value) || isColumns(arrayAt(value, 'fields')),
  ),
  unread(
    'a Data Package',
    'Convert the schemas of its resources to JSON Schema.',
    (value) => arrayAt(value, 'resources')?.every((each) => has('name')(each)) === true,
  ),
  foreign(
    'a package.json',
    'It describes a package and no data.',
    (value) =>
      has('name')(value) &&
      ['dependencies', 'devDependencies', 'peerDependencies', 'scripts', 'lockfileVersion'].some(
        (key) => isJsonObject(memberOf(value, key)) || typeof memberOf(value, key) === 'number',
      ),
  ),
  foreign(
    'a Kubernetes object',
    'Of these, DataContracts and CustomResourceDefinitions are compared.',
    (value) => textAt(value, 'apiVersion') !== undefined && textAt(value, 'kind') !== undefined,
  ),
  read('a JSON Schema', 'jsonschema', isSchema),
  foreign(
    'a file with data',
    'It names in $schema the schema that it follows. Compare that schema.',
    (value) => textAt(value, '$schema') !== undefined,
  ),
];

/**
 * What a document is; null if no row recognizes it.
 *
 * @example kindOfDocument({ type: 'record', name: 'A', fields: [] }) // { words: 'an Avro schema', ... }
 */
export function kindOfDocument(value: Json): KindOfDocument | null {
  return rows.find(({ applies }) => applies(value)) ?? null;
}

/** A document that no row recognizes: why it is no JSON Schema. */
export function unknownKind(value: Json): UnreadKind {
  const names = isJsonObject(value) ? Object.keys(value).slice(0, 5).join(', ') : '';
  const instead =
    names === ''
      ? `It is ${kindOf(value)}.`
      : `Nothing in it (${names}) is a keyword of JSON Schema. If it is a schema, say --kind jsonschema.`;
  const refusal = `this is not a JSON Schema, and no other document of a known kind. ${instead}`;
  return { words: 'a file of an unknown kind', reader: null, refusal, isContract: false };
}

/** The name of a reader's documents in words. */
export function wordsOf(reader: InputKind): string {
  return rows.find((row) => row.reader === reader)?.words ?? 'a document';
}

function refusalOf(words: string, instead: string): string {
  return `this is ${words}, which is not compared. ${instead}`;
}

/** Checked first, because dbt's run_results.json has the same metadata as its manifest. */
export function isRunResults(value: Json): boolean {
  return dbtVersion(value).includes('/run-results/');
}

function dbtVersion(value: Json): string {
  return textAt(objectAt(value, 'metadata'), 'dbt_schema_version') ?? '';
}

function isAvro(value: Json): boolean {
  const type = textAt(value, 'type');
  if (type === 'record' || type === 'error') return arrayAt(value, 'fields') !== undefined;
  if (type === 'enum') return arrayAt(value, 'symbols') !== undefined;
  return (
    (type === 'fixed' && has('size')(value)) || (has('protocol')(value) && has('types')(value))
  );
}

function isColumns(value: Json | undefined): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => textAt(each, 'name') !== undefined && textAt(each, 'type') !== undefined)
  );
}

/** Every keyword, and those that say something about values or hold schemas, of any dialect. */
const keywords = new Set(dialects.flatMap((dialect) => [...keywordsOf(dialect).keys()]));
const telling = new Set([
  ...dialects.flatMap((dialect) => [...constraintsOf(dialect).keys()]),
  ...['$ref', '$dynamicRef', '$defs', 'definitions', '$id'],
]);

/**
 * A document is a schema if it says so, if a member says something about values, or if it has
 * nothing but annotations.
 */
function isSchema(value: Json): boolean {
  if (typeof value === 'boolean') return true;
  if (!isJsonObject(value)) return false;
  if (/json-schema\.org\/|metaschema/.test(textAt(value, '$schema') ?? '')) return true;
  const names = Object.keys(value);
  return names.some((name) => telling.has(name)) || names.every((name) => isAnnotation(name));
}

function isAnnotation(name: string): boolean {
  return name !== '$schema' && (keywords.has(name) || name.startsWith('x-'));
}

/**
 * The definitions of a file that describes no value itself, but only parts that other files use;
 * null for any other schema.
 */
export function sharedDefinitionsOf(value: Json): readonly SharedDefinition[] | null {
  if (!isJsonObject(value)) return null;
  const tells = (name: string) => telling.has(name) && !holders.includes(name);
  if (Object.keys(value).some((name) => tells(name) && name !== '$id' && name !== 'type')) {
    return null;
  }
  const found = holders.flatMap((holder) =>
    Object.keys(objectAt(value, holder) ?? {}).map((name) => ({ holder, name })),
  );
  return found.length === 0 ? null : found;
}

interface SharedDefinition {
  readonly holder: string;
  readonly name: string;
}

const holders: readonly string[] = ['$defs', 'definitions'];

/** Whether it declares itself as a JSON Schema. */
export function isSchemaBySelf(value: Json, name: string): boolean {
  if (/\.schema\.(json|ya?ml)$/.test(name)) return true;
  return (textAt(value, '$schema') ?? '').includes('json-schema.org/');
}

interface TextRow {
  readonly extension: RegExp;
  readonly start: RegExp;
  readonly kind: KindOfDocument;
}

const comments = String.raw`^(?:\s|#[^\n]*\n|//[^\n]*\n|/\*[^]*?\*/)*`;

/** Documents that are neither JSON nor YAML. */
const textRows: readonly TextRow[] = [
  {
    extension: /\.(graphqls?|gql|sdl)$/,
    start:
      /^(?:\s|#[^\n]*\n)*(?:"|(?:extend\s+)?(?:type|interface|enum|union|input|scalar|directive)\s+[@A-Za-z_]|(?:extend\s+)?schema\s*[@{])/,
    kind: { words: 'a GraphQL schema', reader: 'graphql' },
  },
  {
    extension: /\.proto$/,
    start: new RegExp(
      `${comments}(?:syntax\\s*=|edition\\s*=|message\\s+\\w+\\s*\\{|package\\s+[\\w.]+;)`,
    ),
    kind: {
      words: 'a Protobuf file',
      reader: null,
      refusal: refusalOf('a Protobuf file', 'Check it with a tool for it, such as buf breaking.'),
      isContract: true,
    },
  },
  {
    extension: /\.(xsd|wsdl|xml)$/,
    start: /^\s*<(?:\?xml|[\w:]+[\s>])/,
    kind: {
      words: 'an XML document',
      reader: null,
      refusal: refusalOf('an XML document', 'Convert its types to JSON Schema.'),
      isContract: false,
    },
  },
];

/** Whether a text is an object in JSON. SDL never starts like this. */
export function isJsonText(text: string): boolean {
  return /^\s*\{\s*"/.test(text);
}

/** Null for a text that may be JSON or YAML. */
export function kindOfText(text: string, name: string): KindOfDocument | null {
  const named = textRows.find(({ extension }) => extension.test(name));
  if (named !== undefined) return named.kind;
  if (/\.(json|ya?ml)$/.test(name)) return null;
  return textRows.find(({ start }) => start.test(text))?.kind ?? null;
}

/** Whether an unparsable text was meant as an input at all. */
export function isMeantAsInput(text: string): boolean {
  return /concordat\.dev\/|^\s*["']?kind["']?\s*:\s*["']?DataContract|json-schema\.org\/|^\s*["']?(openapi|swagger|asyncapi|dataContractSpecification)["']?\s*:|CustomResourceDefinition|dbt_schema_version/m.test(
    text,
  );
}

function has(key: string): (value: Json) => boolean {
  return (value) => memberOf(value, key) !== undefined;
}
