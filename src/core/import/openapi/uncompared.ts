// What an OpenAPI document says about a call and no contract holds. It is not compared, so a change of
// it leaves the verdict open.

import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { readPointerToken } from '../../value/pointer-token.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { arrayAt, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';
import { jsonContentOf } from './openapi-document.ts';

/** By the keyword: what it is, in a sentence. */
const aside: Readonly<Record<string, string>> = {
  servers: 'the addresses of the servers',
  style: 'how the parameter is written',
  explode: 'how the parameter is written',
  allowReserved: 'how the parameter is written',
  allowEmptyValue: 'how the parameter is written',
  content: 'how the parameter is written',
  links: 'where the response leads',
  xml: 'how the value is written as XML',
  encoding: 'how the parts of the form are written',
  flows: 'how a token is obtained',
  openIdConnectUrl: 'how a token is obtained',
  security: 'the credentials that the API presents',
};

/** Schemas are compared, and examples and extensions are data. */
const data = new Set(['example', 'examples']);
const dataOfSchema = new Set([...data, 'default', 'enum', 'const']);
/** Their keys are names and no keywords. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

interface Part {
  readonly value: Json;
  readonly place: string;
  /** The place by names, so that the order of parameters does not matter. */
  readonly label: string;
}

/** @example uncomparedParts({ servers: [{ url: 'https://a.example' }] })[0].place // '$.servers' */
export function uncomparedParts(document: Json): readonly ImportProblem[] {
  const found: ImportProblem[] = [];
  const schemas: SchemaPart[] = [];
  let hasXml = false;
  const pending: Part[] = [{ value: document, place: '$', label: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, place, label } = next;
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        const at = placeOf(place, index);
        pending.push({ value: item, place: at, label: `${label} ${nameOf(item) ?? index}` });
      });
    }
    if (!isJsonObject(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      const at = placeOf(place, key);
      const further = { value: member, place: at, label: `${label} ${key}` };
      if (/[/+]xml\b/i.test(key) && label.endsWith(' content')) hasXml = true;
      if (Object.hasOwn(aside, key) && mayBe(key, value, label)) {
        if (isDefault(key, value)) continue;
        const held = key === 'content' ? (jsonContentOf(value)?.type ?? null) : member;
        found.push(unread(key, held, at, label));
      } else if (key === 'schema' || key === 'schemas') {
        schemas.push({ ...further, isMap: key === 'schemas' });
      } else if (!data.has(key) && !key.startsWith('x-')) {
        pending.push(further);
      }
    }
  }
  return [...found, ...subtypesOf(document), ...(hasXml ? schemas.flatMap(xmlParts) : [])];
}

/**
 * Variants of a base schema with a `discriminator`: schemas that name the base in their `allOf`, or that its
 * `mapping` names. If no operation refers to a variant by `$ref`, no contract holds it.
 */
function subtypesOf(document: Json): readonly ImportProblem[] {
  const schemas = objectAt(objectAt(document, 'components'), 'schemas') ?? {};
  const bases = Object.keys(schemas).filter((name) => objectAt(schemas[name], 'discriminator'));
  if (bases.length === 0) return [];
  const used = referencedFrom(document, schemas);
  const parts = Object.keys(schemas).flatMap((name): readonly (readonly [string, string])[] => {
    const base = bases.find((each) => isSubtype(schemas, name, each));
    return base === undefined || used.has(name) ? [] : [[name, base]];
  });
  return parts.map(([name, base]) => {
    const message = `components schemas ${name}: the variant of ${base} changed, which is not compared.`;
    const place = placeOf('$.components.schemas', name);
    const said = [name, ...namesFrom(schemas[name] ?? null, schemas)].map((each) => [
      each,
      withoutWords(schemas[each] ?? null),
    ]);
    return {
      ...itemProblem('UNCOMPARED_PART', message, place),
      unread: Object.fromEntries(said) as JsonObject,
    };
  });
}

const schemaReference = /^(?:#\/components\/schemas\/)?([^/#]+)$/;

/** The name of a component schema that a reference, or a value of a mapping, leads to. */
function nameIn(reference: Json | undefined, schemas: JsonObject): string | undefined {
  const [, token] = (typeof reference === 'string' && schemaReference.exec(reference)) || [];
  const name = token === undefined ? undefined : readPointerToken(token);
  return name !== undefined && Object.hasOwn(schemas, name) ? name : undefined;
}

function isSubtype(schemas: JsonObject, name: string, base: string): boolean {
  if (name === base) return false;
  const mapping = objectAt(objectAt(schemas[base], 'discriminator'), 'mapping') ?? {};
  if (Object.values(mapping).some((each) => nameIn(each, schemas) === name)) return true;
  const parents = arrayAt(schemas[name], 'allOf') ?? [];
  return parents.some((part) => nameIn(memberOf(part, '$ref'), schemas) === base);
}

/** The schemas that operations lead to by `$ref`. */
function referencedFrom(document: Json, schemas: JsonObject): ReadonlySet<string> {
  const { components, ...rest } = isJsonObject(document) ? document : {};
  const { schemas: _, ...others } = isJsonObject(components ?? null)
    ? (components as JsonObject)
    : {};
  return namesFrom({ rest, others }, schemas);
}

/** The schemas that a value leads to by `$ref`, whatever stands between. */
function namesFrom(start: Json, schemas: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const pending: Json[] = [start];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const name = isJsonObject(value) ? nameIn(value.$ref, schemas) : undefined;
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      pending.push(schemas[name] ?? null);
    }
    pending.push(...(Array.isArray(value) ? value : Object.values(value)));
  }
  return names;
}

/** Titles and descriptions are for people. */
function withoutWords(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (!isJsonObject(value)) return value;
  const isWords = ([key, member]: readonly [string, Json]) =>
    (key === 'title' || key === 'description') && typeof member === 'string';
  const kept = Object.entries(value).filter((entry) => !isWords(entry));
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutWords(member)]));
}

interface SchemaPart extends Part {
  /** Whether its members are schemas, by their names. */
  readonly isMap: boolean;
}

/** How the values of a schema are written as XML. */
function xmlParts(root: SchemaPart): readonly ImportProblem[] {
  const found: ImportProblem[] = [];
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, place, label, isMap } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      const at = placeOf(place, Array.isArray(value) ? Number(key) : key);
      const further = { value: member, place: at, label: `${label} ${key}` };
      if (isMap) pending.push({ ...further, isMap: false });
      else if (key === 'xml') found.push(unread(key, member, at, label));
      else if (!dataOfSchema.has(key) && !key.startsWith('x-')) {
        pending.push({ ...further, isMap: namedSchemas.has(key) });
      }
    }
  }
  return found;
}

function unread(key: string, value: Json, place: string, label: string): ImportProblem {
  const what = isHeader(label) ? 'how the header is written' : aside[key];
  const message = `${`${label} ${key}`.trim()}: ${what} changed, which is not compared.`;
  return { ...itemProblem('UNCOMPARED_PART', message, place), unread: value };
}

function isHeader(label: string): boolean {
  return / headers \S+$/.test(label);
}

/** What tells a parameter from others of its list, wherever it stands in it. */
export function nameOf(item: Json): string | undefined {
  const name = isJsonObject(item) ? textAt(item, 'name') : undefined;
  const where = isJsonObject(item) ? textAt(item, 'in') : undefined;
  return name === undefined || where === undefined ? name : `${where} ${name}`;
}

/** Maps of the document, such as callbacks, may have keys of these names. */
function mayBe(key: string, holder: JsonObject, label: string): boolean {
  switch (key) {
    case 'style':
    case 'explode':
    case 'allowReserved':
    case 'allowEmptyValue':
      return typeof holder.in === 'string' || isHeader(label);
    case 'content':
      // Of other media types the contract holds the name.
      return (typeof holder.in === 'string' || isHeader(label)) && jsonContentOf(holder) !== null;
    case 'links':
      return isJsonObject(holder.links ?? null) && / responses \S+$/.test(label);
    case 'xml':
      return false;
    case 'encoding':
      return objectAt(holder, 'encoding') !== undefined && holder.schema !== undefined;
    case 'flows':
    case 'openIdConnectUrl':
      return typeof holder.type === 'string';
    case 'security':
      return Array.isArray(holder.security) && /^ webhooks | callbacks /.test(label);
    default:
      return Array.isArray(holder[key]);
  }
}

/** Whether this says what also holds where nothing is stated. */
function isDefault(key: string, holder: JsonObject): boolean {
  const value = holder[key];
  const style = holder.in === 'query' || holder.in === 'cookie' ? 'form' : 'simple';
  switch (key) {
    case 'style':
      return value === style;
    case 'explode':
      return value === ((holder.style ?? style) === 'form');
    case 'allowReserved':
    case 'allowEmptyValue':
      return value === false;
    case 'encoding':
      return isJsonObject(value) && Object.keys(value).length === 0;
    case 'servers':
      return isSameJson(value ?? [], []) || isSameJson(value ?? [], [{ url: '/' }]);
    default:
      return false;
  }
}
