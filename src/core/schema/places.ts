// Decides, by the table of keywords alone, which locations of a document are schemas, and which of
// these start a resource. Everything else is data: a pointer may lead into it, but nothing in it
// has a name.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import type { Dialect } from './dialects.ts';
import { dialectOfUri } from './dialects.ts';
import {
  holdingOf,
  idKeyword,
  ignoresRefSiblings,
  keywordsOf,
  namingKeywordsOf,
} from './keywords.ts';
import { splitFragment } from './uri.ts';

/**
 * The content of a location: a schema, schemas in a list or by name, the components of OpenAPI, or
 * data.
 */
export type Standing = 'schema' | 'schemas' | 'schema_map' | 'components' | 'data';

/** The content one step below; `isRoot` if `raw` is the document. */
export function standingBelow(
  standing: Standing,
  raw: Json,
  step: string | number,
  { dialect, isRoot }: { readonly dialect: Dialect; readonly isRoot: boolean },
): Standing {
  if (standing === 'schemas') return Array.isArray(raw) ? 'schema' : 'data';
  if (!isJsonObject(raw)) return 'data';
  if (standing === 'schema_map') return 'schema';
  if (standing === 'components') return step === 'schemas' ? 'schema_map' : 'data';
  if (standing === 'data') return 'data';
  const holding = holdingOf(dialect, String(step), Array.isArray(raw[step]));
  return holding === undefined || (holding === 'components' && !isRoot) ? 'data' : holding;
}

/** The dialect of a document: the one that it names, otherwise the caller's. */
export function dialectOfDocument(json: Json, stated: Dialect): Dialect {
  return (isJsonObject(json) ? namedDialect(json) : undefined) ?? stated;
}

/** The id, without its fragment, and the dialect of a schema that starts a resource. */
interface ResourceStart {
  readonly id: string;
  readonly dialect: Dialect;
}

/** Undefined if a schema belongs to the enclosing resource. */
export function resourceStart(raw: JsonObject, around: Dialect): ResourceStart | undefined {
  const named = keywordsOf(around).has('$schema') ? namedDialect(raw) : undefined;
  const dialect = named ?? around;
  const id = idOf(raw, dialect);
  // An empty id is that of the enclosing resource, which begins further up.
  if (id === undefined || id === '' || id.startsWith('#')) return undefined;
  return { id: splitFragment(id)[0], dialect };
}

/** The id of a schema as written, if it counts. */
export function idOf(raw: JsonObject, dialect: Dialect): string | undefined {
  const keyword = idKeyword(dialect);
  const id = keyword && raw[keyword];
  return typeof id !== 'string' || isBareReference(raw, dialect) ? undefined : id;
}

/** Whether a schema is a reference whose siblings do not count. */
export function isBareReference(raw: JsonObject, dialect: Dialect): boolean {
  return typeof raw.$ref === 'string' && ignoresRefSiblings(dialect);
}

/**
 * Whether a schema itself has a mark such as `readOnly`. It counts only if the dialect has it, and not
 * if the dialect ignores it beside a reference.
 */
export function hasMark(raw: Json, dialect: Dialect, mark: string): boolean {
  if (!isJsonObject(raw) || raw[mark] !== true) return false;
  return keywordsOf(dialect).has(mark) && !isBareReference(raw, dialect);
}

function namedDialect(raw: JsonObject): Dialect | undefined {
  return typeof raw.$schema === 'string' ? dialectOfUri(raw.$schema) : undefined;
}

/** Whether a value would have a name if it were a schema. */
export function bearsName(raw: Json, dialect: Dialect): boolean {
  return isJsonObject(raw) && hasAny(raw, namingKeywordsOf(dialect));
}

/** Whether the value, or anything inside it, would have a name. */
export function mentionsNames(value: Json, dialect: Dialect): boolean {
  const names = namingKeywordsOf(dialect);
  const pending: Json[] = [value];
  for (let raw = pending.pop(); raw !== undefined; raw = pending.pop()) {
    if (Array.isArray(raw)) for (const item of raw) pending.push(item);
    if (!isJsonObject(raw)) continue;
    if (hasAny(raw, names)) return true;
    for (const key in raw) {
      const member = raw[key];
      if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }
  return false;
}

function hasAny(raw: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (typeof raw[name] === 'string' || raw[name] === true) return true;
  return false;
}
