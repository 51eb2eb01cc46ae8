// The schema of a contract or a proposal: written in the object, or in a ConfigMap beside it.

import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { isJsonObject, type Json, parseJson } from '../../core/json.ts';
import type { Verdict } from '../conditions.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import type { SourceObject } from '../source/source.ts';
import type { World } from './world.ts';

export interface SchemaRead {
  readonly schema: Json;
  /** The text behind `schemaFrom`, which is part of what was asked for; null where there is none. */
  readonly document: string | null;
}

export type SchemaAnswer =
  | { readonly ok: true; readonly value: SchemaRead }
  | { readonly ok: false; readonly verdict: Verdict };

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
  const text = data?.[key];
  if (text === undefined) {
    const what =
      data === null
        ? `ConfigMap ${object.namespace}/${name} is not there.`
        : `ConfigMap ${object.namespace}/${name} has no key ${key}.`;
    const message = `${what} The contract goes on as soon as it is.`;
    return { ok: false, verdict: { reason: 'SourceNotFound', message } };
  }
  const read = parseDocument(text, schemaFrom.format ?? 'jsonschema');
  if (read.ok) return { ok: true, value: { schema: read.value, document: text } };
  const message = `ConfigMap ${object.namespace}/${name}, key ${key}: ${read.failure.message}`;
  return { ok: false, verdict: { reason: 'InvalidSchema', message } };
}

function parseDocument(text: string, format: string): Outcome<Json> {
  if (format !== 'jsonschema') {
    return refuse('INVALID_SCHEMA', `Documents of format ${format} are not read yet.`);
  }
  const parsed = parseJson(text);
  if (!parsed.ok) return refuse('INVALID_SCHEMA', `It is not JSON: ${parsed.message}`);
  return isJsonObject(parsed.value)
    ? accept(parsed.value)
    : refuse('INVALID_SCHEMA', 'It is JSON, but not an object.');
}
