// Navigates an OpenAPI document: JSON pointers, references between its parts, media types.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { percentDecoded, readPointerToken, writeUriToken } from '../../value/pointer-token.ts';
import { memberOf, textAt } from '../read-json.ts';

/** The methods of a path item. */
export const methods: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
];

/**
 * Members whose values are data, so that a `$ref` within them refers to nothing. Not `default`, which
 * is also the name of a response.
 */
const dataMembers: ReadonlySet<string> = new Set(['enum', 'const', 'example', 'examples']);

/** Their members have the names that somebody gave them. */
const named: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'schemas'],
  ...['fields', 'models', 'messages', 'channels', 'operations', 'parameters', 'headers'],
  ...['responses', 'requestBodies', 'callbacks', 'pathItems', 'mediaTypes', 'replies'],
]);

/**
 * Whether a member is data. What somebody called `example`, as a property may be, is none.
 *
 * @example isData('example', 'properties') // false
 */
export function isData(key: string, holder: string | null, data = dataMembers): boolean {
  return data.has(key) && (holder === null || !named.has(holder));
}

/** A longer chain of references is a cycle, or was not written by a person. */
const maxHops = 32;

type Resolved =
  | { readonly ok: true; readonly value: JsonObject; readonly place: string }
  | { readonly ok: false; readonly problem: ReferenceProblem };

export interface ReferenceProblem {
  readonly code: 'EXTERNAL_REFERENCE' | 'BROKEN_REFERENCE' | 'UNREADABLE_ITEM' | 'TOO_LARGE';
  readonly message: string;
}

/** Follows the `$ref` of a parameter, response, request body or path item to its target. */
export function resolveObject(document: JsonObject, start: Json, place: string): Resolved {
  let value: Json | undefined = start;
  let at = place;
  for (let hop = 0; hop < maxHops; hop++) {
    if (value === undefined || !isJsonObject(value)) {
      const message = `${at} should be an object.`;
      return { ok: false, problem: { code: 'UNREADABLE_ITEM', message } };
    }
    const reference = textAt(value, '$ref');
    if (reference === undefined) return { ok: true, value, place: at };
    const tokens = pointerTokens(reference);
    if (tokens === null) return { ok: false, problem: outside(reference) };
    value = findByTokens(document, tokens);
    at = reference;
    if (value === undefined) return { ok: false, problem: broken(reference) };
  }
  const message = `The $ref at ${place} is circular.`;
  return { ok: false, problem: { code: 'BROKEN_REFERENCE', message } };
}

export function outside(reference: string): ReferenceProblem {
  const message = `$ref ${JSON.stringify(reference)} is outside the document and is not fetched. Bundle the document first.`;
  return { code: 'EXTERNAL_REFERENCE', message };
}

export function broken(reference: string): ReferenceProblem {
  const message = `$ref ${JSON.stringify(reference)} has no target. Correct it, or add the target.`;
  return { code: 'BROKEN_REFERENCE', message };
}

/**
 * The tokens of a pointer into this document; null for any other reference.
 *
 * @example pointerTokens('#/paths/~1users/get') // ['paths', '/users', 'get']
 */
export function pointerTokens(reference: string): readonly string[] | null {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) return null;
  return percentDecoded(reference.slice(2)).split('/').map(readPointerToken);
}

/** @example toPointer(['$defs', 'a/b']) // '#/$defs/a~1b' */
export function toPointer(tokens: readonly string[]): string {
  return `#/${tokens.map(writeUriToken).join('/')}`;
}

/** What stands at a place. References on the way are followed, as tools do that put several files together. */
export function findByTokens(
  document: Json,
  tokens: readonly string[],
  hops = maxHops,
): Json | undefined {
  let value: Json = document;
  for (const [at, token] of tokens.entries()) {
    const isIndex = Array.isArray(value) && /^(0|[1-9]\d*)$/.test(token);
    const next: Json | undefined = isIndex
      ? (value as readonly Json[])[Number(token)]
      : memberOf(value, token);
    if (next === undefined) {
      const elsewhere = pointerTokens(textAt(value, '$ref') ?? '');
      if (elsewhere === null || hops === 0) return undefined;
      return findByTokens(document, [...elsewhere, ...tokens.slice(at)], hops - 1);
    }
    value = next;
  }
  return value;
}

const sections = [
  ...['paths', 'webhooks', 'components', 'definitions', 'parameters', 'responses'],
  'securityDefinitions',
];

/**
 * A document whose sections are written in it. OpenAPI has no references there, and those who write several files have
 * them all the same.
 *
 * @example withSections({ paths: { $ref: '#/x-files/paths.yaml' }, 'x-files': { 'paths.yaml': {} } }).paths // {}
 */
export function withSections(document: JsonObject): JsonObject {
  const written = Object.fromEntries(
    Object.entries(document).map(([key, section]) => {
      if (!sections.includes(key)) return [key, section];
      const own = followed(document, section);
      if (key !== 'components' || !isJsonObject(own)) return [key, own];
      const members = Object.entries(own).map(
        ([kind, each]) => [kind, followed(document, each)] as const,
      );
      return [key, Object.fromEntries(members)];
    }),
  );
  return written;
}

/** A section, with what its reference leads to. */
function followed(document: JsonObject, section: Json): Json {
  if (!isJsonObject(section) || textAt(section, '$ref') === undefined) return section;
  const resolved = resolveObject(document, section, '');
  const { $ref: _, ...own } = section;
  return resolved.ok ? { ...resolved.value, ...own } : section;
}

/** JSON media types, in order of preference; others are not JSON. */
const jsonMediaTypes: readonly RegExp[] = [
  /^application\/json$/,
  /^[^/]+\/[^/]+\+json$/,
  /^[^/]+\/(?:[^/]*[.-])?json$/,
  /^(?:\*|application)\/\*$/,
];

/**
 * The JSON content of a body: `application/json`, then types ending in `+json`, then other vendor
 * types and wildcards; of equally good ones the first by name.
 */
export function jsonContentOf(body: JsonObject): Content | null {
  return bestContentOf(body, jsonMediaTypes);
}

export interface Content {
  readonly type: string;
  readonly media: Json;
}

const formMediaTypes: readonly RegExp[] = [
  /^application\/x-www-form-urlencoded$/,
  /^multipart\/form-data$/,
  /^multipart\/[^/]+$/,
];

/** The form content of a body: its fields are described like those of an object. */
export function formContentOf(body: JsonObject): Content | null {
  return bestContentOf(body, formMediaTypes);
}

/**
 * The name of a media type. The charset says how text is encoded, and not what it is.
 *
 * @example mediaTypeOf('Application/JSON; charset=utf-8') // 'application/json'
 */
export function mediaTypeOf(stated: string): string {
  const [type = '', ...parameters] = stated.toLowerCase().split(';');
  const kept = parameters.map((each) => each.trim()).filter((each) => !each.startsWith('charset='));
  return [type.trim(), ...kept].join(';');
}

function bestContentOf(body: JsonObject, mediaTypes: readonly RegExp[]): Content | null {
  const content = memberOf(body, 'content');
  if (content === undefined || !isJsonObject(content)) return null;
  const ranked = Object.keys(content).flatMap((type) => {
    const plain = (type.split(';')[0] ?? '').trim().toLowerCase();
    const rank = mediaTypes.findIndex((pattern) => pattern.test(plain));
    return rank < 0 ? [] : [{ type, rank }];
  });
  const [best] = ranked.sort((a, b) => a.rank - b.rank || (a.type < b.type ? -1 : 1));
  return best === undefined ? null : { type: best.type, media: content[best.type] ?? null };
}
