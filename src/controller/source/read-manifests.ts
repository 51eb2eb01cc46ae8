// Parses one file of manifests, leniently: a broken document affects only its own object. Pure.

import type { Document } from 'yaml';
import { maxDocumentBytes } from '../../core/import/pick/document-path.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { findUnstorable } from '../../core/value/storable.ts';
import { jsonOfDocument, parseYamlDocuments } from '../../core/value/yaml-documents.ts';
import {
  apiVersion,
  fileKindNames,
  group,
  type KindName,
  kindNames,
  reconcileAtAnnotation,
} from '../crd/kinds.ts';

export interface Manifest {
  readonly kind: KindName;
  readonly name: string;
  readonly spec: JsonObject;
  readonly reconcileAt: string | null;
  readonly problem: string | null;
}

export interface ConfigMap {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

export interface FileRead {
  readonly manifests: readonly Manifest[];
  readonly configMaps: readonly ConfigMap[];
  /** Broken documents, whose objects may be missing. */
  readonly unreadable: readonly Unreadable[];
}

/** A broken document, and the part of it that can still be read. */
export interface Unreadable {
  /** Its position in the file, from 1. */
  readonly document: number;
  readonly kind: KindName | null;
  readonly name: string | null;
  readonly message: string;
  /** It can be read, as a document of another program that has a kind of the same name. */
  readonly isForeign?: true;
}

/** Ten schemas of the largest size; a larger file is not a manifest. */
export const maxFileBytes = maxDocumentBytes;

export function readManifests(bytes: Uint8Array, namespace: string): FileRead {
  if (bytes.length > maxFileBytes) return tooLargeFile;
  const text = decodeUtf8(bytes);
  if (text === null) return broken('The file is not UTF-8. Save it as UTF-8.');
  // As a file is while it is written.
  if (text === '') return broken('The file is empty. Delete it if its objects should go.');
  const found: Found = { manifests: [], configMaps: [] };
  const unreadable: Unreadable[] = [];
  for (const [index, value] of parseYaml(text).entries()) {
    const lost = value.ok ? lostIn(value.json) : value;
    if (lost !== null) unreadable.push({ ...lost, document: index + 1 });
    else if (value.ok && isJsonObject(value.json)) collect(value.json, namespace, found);
  }
  return { ...found, unreadable };
}

/** What may be an object of ours that nobody can tell any more; null for objects, and for what belongs to others. */
function lostIn(value: Json): Omit<Unreadable, 'document'> | null {
  const lost = (message: string) => ({ kind: null, name: null, message });
  if (typeof value === 'string') {
    return lost(
      'It is a text, and no object, such as a pointer to a large file or half of a merge.',
    );
  }
  const items = Array.isArray(value) ? value : arrayIn(value, 'items');
  // Files of other programs often have lists of texts, and these hide no object of ours.
  const hidesAny = (item: Json) =>
    typeof item !== 'string' && (isOurObject(item) || lostIn(item) !== null);
  if (items.some(hidesAny)) {
    return lost(
      'It is a list of objects. Write each of them as a document of its own, after a line ---.',
    );
  }
  if (!isJsonObject(value)) return null;
  const { kind, apiVersion: version, metadata } = value;
  const isOurs = isOurObject(value);
  const known = kindNames.find((each) => each === kind);
  if (isOurs && known === undefined) return lost(`The kind ${String(kind)} is not known.`);
  // Others may have a kind of this name, too.
  if (known === undefined || (!isOurs && known === 'Team')) return null;
  const { name } = objectOr(metadata);
  if (!isOurs) {
    const message = `${apiVersionWords(version)} is not supported. Use ${apiVersion}.`;
    return { ...lost(message), isForeign: true };
  }
  if (typeof name === 'string' && name !== '') return null;
  return { ...lost('metadata.name is missing.'), kind: fileKindOf(known) };
}

function isOurObject(value: Json): boolean {
  return isJsonObject(value) && String(value.apiVersion).startsWith(`${group}/`);
}

function arrayIn(value: Json, key: string): readonly Json[] {
  const member = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(member) ? member : [];
}

function apiVersionWords(version: Json | undefined): string {
  return version === undefined ? 'No apiVersion' : `apiVersion ${String(version)}`;
}

function fileKindOf(kind: Json | undefined): KindName | null {
  return fileKindNames.find((known) => known === kind) ?? null;
}

export const tooLargeFile: FileRead = broken(
  `The file is larger than ${maxFileBytes} bytes. Split it.`,
);

function broken(message: string): FileRead {
  const nothing = { kind: null, name: null };
  return { manifests: [], configMaps: [], unreadable: [{ document: 1, ...nothing, message }] };
}

export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

type JsonRead =
  | { readonly ok: true; readonly json: Json }
  | ({ readonly ok: false } & Omit<Unreadable, 'document'>);

function parseYaml(text: string): readonly JsonRead[] {
  try {
    return parseYamlDocuments(text).map(toJson);
  } catch (thrown) {
    return [{ ok: false, kind: null, name: null, message: messageOf(thrown) }];
  }
}

function toJson(document: Document.Parsed): JsonRead {
  const [error] = document.errors;
  if (error !== undefined) return unreadable(document, error.message);
  try {
    const read = jsonOfDocument(document);
    return read.ok ? { ok: true, json: read.value } : unreadable(document, read.message);
  } catch (thrown) {
    // Aliases that multiply without end, or nesting without end.
    return unreadable(document, messageOf(thrown));
  }
}

/** The kind and the name usually come before the broken place. */
function unreadable(document: Document.Parsed, message: string): JsonRead {
  const kind = textAt(document, ['kind']);
  const name = textAt(document, ['metadata', 'name']);
  return {
    ok: false,
    kind: fileKindOf(kind),
    name: name !== null && namePattern.test(name) ? name : null,
    message,
  };
}

function textAt(document: Document.Parsed, path: readonly string[]): string | null {
  try {
    const found = document.getIn(path);
    return typeof found === 'string' ? found : null;
  } catch {
    return null;
  }
}

const namePattern = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

interface Found {
  readonly manifests: Manifest[];
  readonly configMaps: ConfigMap[];
}

/** Ignores other kinds, which belong to others. */
function collect(value: JsonObject, namespace: string, found: Found): void {
  const metadata = objectOr(value.metadata);
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  if (value.kind === 'ConfigMap' && value.apiVersion === 'v1') {
    found.configMaps.push({ name, data: textsOf(objectOr(value.data)) });
    return;
  }
  const kind = fileKindOf(value.kind);
  if (kind === null || !String(value.apiVersion).startsWith(`${group}/`)) return;
  const unstorable = findUnstorable(value);
  if (unstorable !== null) {
    const problem = `${unstorable.field} ${unstorable.message}. Remove it.`;
    found.manifests.push({ kind, name, spec: {}, reconcileAt: null, problem });
    return;
  }
  const reconcileAt = objectOr(metadata.annotations)[reconcileAtAnnotation];
  found.manifests.push({
    kind,
    name,
    spec: objectOr(value.spec),
    reconcileAt: typeof reconcileAt === 'string' ? reconcileAt : null,
    problem: problemOf(value, metadata, namespace),
  });
}

function problemOf(value: JsonObject, metadata: JsonObject, namespace: string): string | null {
  if (value.apiVersion !== apiVersion) {
    return `apiVersion ${String(value.apiVersion)} is not supported. Use ${apiVersion}, or update Concordat.`;
  }
  if (typeof metadata.name !== 'string' || !namePattern.test(metadata.name)) {
    return 'metadata.name must be lower-case letters, digits, - and .';
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    return `metadata.namespace is ${String(metadata.namespace)}, but the file is in the folder of namespace ${namespace}. Remove metadata.namespace, or move the file.`;
  }
  if (value.spec === undefined || !isJsonObject(value.spec)) return 'spec is missing.';
  return null;
}

function objectOr(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function textsOf(data: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
