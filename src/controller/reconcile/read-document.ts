// The schema of a contract or a proposal: in the object, or in a ConfigMap of its namespace.

import type { Direction, Guarantees } from '../../core/comparison.ts';
import type { ContractFormat } from '../../core/contract.ts';
import type { StandsFor } from '../../core/decide/commands.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { type Candidate, fatalOf, type ParsedImport } from '../../core/import/candidate.ts';
import { parseDbtManifest } from '../../core/import/dbt/dbt.ts';
import { parseGraphql } from '../../core/import/graphql/graphql.ts';
import { parseOdcs } from '../../core/import/odcs/odcs.ts';
import { parseOpenApi } from '../../core/import/openapi/openapi.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import { isJsonObject, type Json, parseJson } from '../../core/value/json.ts';
import type { Verdict } from '../conditions.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { readYaml } from '../source/read-manifests.ts';
import type { SourceObject } from '../source/source.ts';
import { verdictOfFailure } from './contract-status.ts';
import type { World } from './world.ts';

export interface SchemaRead {
  readonly schema: Json;
  /** The text behind `schemaFrom`, which is part of the request; null without `schemaFrom`. */
  readonly document: string | null;
  /** What the document specifies beyond a JSON Schema. */
  readonly format?: ContractFormat;
  readonly direction?: Direction;
  readonly dialect?: Dialect;
  readonly guarantees?: Guarantees | null;
  /** What consumers call or query, which the schema does not say. */
  readonly standsFor?: StandsFor;
}

type SchemaAnswer =
  | { readonly ok: true; readonly value: SchemaRead }
  | { readonly ok: false; readonly verdict: Verdict };

/** No event tells of a right. */
const rightsMs = 60_000;

export async function readSchema(
  world: World,
  object: SourceObject,
  spec: Pick<DataContractSpec, 'schema' | 'schemaFrom'>,
): Promise<SchemaAnswer> {
  const { schema, schemaFrom } = spec;
  if (schemaFrom === undefined) {
    return { ok: true, value: { schema: schema ?? {}, document: null } };
  }
  const { name, key } = schemaFrom.configMapKeyRef;
  const data = await world.source.readConfigMap(object.namespace, name);
  if (data === 'forbidden') {
    const message = `ConfigMap ${object.namespace}/${name} may not be read by the controller. Give its ServiceAccount get, list and watch on configmaps in this namespace, or write the schema into spec.schema. It is tried again each minute.`;
    const verdict = { reason: 'SourceNotFound', message, againAfterMs: rightsMs } as const;
    return { ok: false, verdict };
  }
  const text = data?.[key];
  if (text === undefined) {
    const what =
      data === null
        ? `ConfigMap ${object.namespace}/${name} does not exist.`
        : `ConfigMap ${object.namespace}/${name} has no key ${key}.`;
    const message = `${what} This goes on once it exists.`;
    return { ok: false, verdict: { reason: 'SourceNotFound', message } };
  }
  const read = readDocument(text, schemaFrom);
  if (read.ok) return { ok: true, value: { ...read.value, document: text } };
  const { code, message } = read.failure;
  const verdict = verdictOfFailure({
    code,
    message: `ConfigMap ${object.namespace}/${name}, key ${key}: ${message}`,
  });
  return { ok: false, verdict };
}

type DocumentRead = Omit<SchemaRead, 'document'>;
type SchemaFrom = NonNullable<DataContractSpec['schemaFrom']>;

function readDocument(text: string, from: SchemaFrom): Outcome<DocumentRead> {
  const format = from.format ?? 'jsonschema';
  switch (format) {
    case 'jsonschema':
      return readJsonSchema(text);
    case 'graphql':
      return pick(
        parseGraphql(text, { isOfOneType: true }),
        `type ${from.typeName}`,
        ({ label }) => {
          return label.kind === 'graphql' && label.type_name === from.typeName;
        },
      );
    case 'openapi': {
      const parsed = readYaml(text);
      if (!parsed.ok) return refuse('INVALID_OPENAPI', parsed.message);
      return pick(parseOpenApi(parsed.json), `operation ${from.operation}`, (candidate) =>
        isOperation(candidate, from.operation ?? ''),
      );
    }
    case 'dbt': {
      const parsed = parseJson(text);
      if (!parsed.ok) return refuse('INVALID_MANIFEST', `It is not JSON: ${parsed.message}`);
      return pick(parseDbtManifest(parsed.value), `node ${from.node}`, ({ label }) => {
        return label.kind === 'dbt' && label.node_id === from.node;
      });
    }
    case 'odcs':
      return pick(parseOdcs(text), `schema object ${from.schemaObject ?? ''}`, ({ label }) => {
        const isNamed = from.schemaObject !== undefined;
        return label.kind === 'odcs' && (!isNamed || label.object_name === from.schemaObject);
      });
    default:
      return format satisfies never;
  }
}

function readJsonSchema(text: string): Outcome<DocumentRead> {
  const parsed = parseJson(text);
  if (!parsed.ok) return refuse('INVALID_SCHEMA', `It is not JSON: ${parsed.message}`);
  return isJsonObject(parsed.value)
    ? accept({ schema: parsed.value })
    : refuse('INVALID_SCHEMA', 'The JSON is not an object.');
}

/** `getOrder`, or `GET /orders/{id}`. */
function isOperation({ label, metadata }: Candidate, operation: string): boolean {
  if (label.kind !== 'openapi') return false;
  const named = `${label.method.toUpperCase()} ${label.path}`;
  return metadata.operation_id === operation || named === operation.trim();
}

/** Chooses one of the document's assets. */
function pick(
  { candidates, problems }: ParsedImport,
  what: string,
  isMeant: (candidate: Candidate) => boolean,
): Outcome<DocumentRead> {
  const fatal = fatalOf(problems);
  if (fatal !== null) return refuse('INVALID_SCHEMA', `${fatal.message} (${fatal.place})`);
  const meant = candidates.filter(isMeant);
  const [candidate] = meant;
  if (candidate === undefined) {
    return refuse('INVALID_SCHEMA', `The document has no ${what}. Correct the name.`);
  }
  if (meant.length > 1) {
    return refuse('INVALID_SCHEMA', `The document has ${meant.length} of ${what}. Choose one.`);
  }
  if (candidate.terms === null) {
    const why = problems.find(({ place }) => place.startsWith(candidate.place))?.message;
    return refuse('INVALID_SCHEMA', `The ${what} has no schema for a contract. ${why ?? ''}`);
  }
  const { schema, direction, format, dialect, guarantees } = candidate.terms;
  const standsFor = standsForOf(candidate);
  return accept({
    ...(standsFor === null ? {} : { standsFor }),
    schema,
    direction,
    format,
    ...(dialect === undefined ? {} : { dialect }),
    ...(guarantees === undefined ? {} : { guarantees }),
  });
}

/**
 * A name in the document may come to stand for another endpoint, or for a type that no query begins with any
 * more. Which node or table fills an asset is nothing that its consumers see.
 */
function standsForOf({ label: { kind }, identity: { thing, path } }: Candidate): StandsFor | null {
  if (kind !== 'openapi' && kind !== 'graphql') return null;
  return { kind, identity: { of: ofDocument, thing, ...(path !== undefined && { path }) } };
}

/** Imports look up assets by the name of an API or a prefix. No API and no prefix has this name. */
const ofDocument = '(document) ';
