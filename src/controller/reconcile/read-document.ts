// The schema of a contract or a proposal: in the object, in a ConfigMap of its namespace, or in a file beside it.

import type { Direction, Guarantees } from '../../core/comparison.ts';
import type { ContractFormat } from '../../core/contract.ts';
import type { StandsFor } from '../../core/decide/commands.ts';
import type { Candidate } from '../../core/import/candidate.ts';
import { pickContract } from '../../core/import/pick/pick-contract.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import type { Json } from '../../core/value/json.ts';
import type { Verdict } from '../conditions.ts';
import type { DataContractSpec } from '../crd/resources.ts';
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
  const found = await findDocument(world, object, schemaFrom);
  if (!found.ok) return found;
  const { text, place } = found.value;
  const picked = pickContract(text, schemaFrom);
  if (!picked.ok) {
    const { code, message } = picked.failure;
    return { ok: false, verdict: verdictOfFailure({ code, message: `${place}: ${message}` }) };
  }
  const { terms, candidate } = picked.value;
  const standsFor = candidate === null ? null : standsForOf(candidate);
  const more = standsFor === null ? {} : { standsFor };
  return { ok: true, value: { ...terms, ...more, document: text } };
}

type SchemaFrom = NonNullable<DataContractSpec['schemaFrom']>;

type DocumentFound =
  | { readonly ok: true; readonly value: { readonly text: string; readonly place: string } }
  | { readonly ok: false; readonly verdict: Verdict };

async function findDocument(
  world: World,
  object: SourceObject,
  { file, configMapKeyRef }: SchemaFrom,
): Promise<DocumentFound> {
  if (file !== undefined) return findFile(object, file.path);
  // The check of the spec demands one of the two.
  const { name = '', key = '' } = configMapKeyRef ?? {};
  const place = `ConfigMap ${object.namespace}/${name}`;
  const data = await world.source.readConfigMap(object.namespace, name);
  if (data === 'forbidden') {
    const message = `${place} may not be read by the controller. Give its ServiceAccount get, list and watch on configmaps in this namespace, or write the schema into spec.schema. It is tried again each minute.`;
    const verdict = { reason: 'SourceNotFound', message, againAfterMs: rightsMs } as const;
    return { ok: false, verdict };
  }
  const text = data?.[key];
  if (text !== undefined) return { ok: true, value: { text, place: `${place}, key ${key}` } };
  const what = data === null ? `${place} does not exist.` : `${place} has no key ${key}.`;
  const message = `${what} This goes on once it exists.`;
  return { ok: false, verdict: { reason: 'SourceNotFound', message } };
}

/** What was read together with the manifest, so that no reconcile pairs it with a manifest of another time. */
function findFile({ document }: SourceObject, path: string): DocumentFound {
  if (document === undefined) {
    const message = `${path} has not been read yet. This goes on once the source can be read.`;
    return { ok: false, verdict: { reason: 'SourceNotFound', message } };
  }
  if (document.ok) return { ok: true, value: { text: document.text, place: document.path } };
  const { isMissing, message } = document;
  const reason = isMissing ? 'SourceNotFound' : 'InvalidSchema';
  return { ok: false, verdict: { reason, message } };
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
