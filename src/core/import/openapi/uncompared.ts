// What an OpenAPI document says about a call and no contract holds. It is not compared, so a change of
// it leaves the verdict open.

import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { objectAt, placeOf, textAt } from '../read-json.ts';
import { findByTokens, jsonContentOf, pointerTokens } from './openapi-document.ts';

/** By the keyword: what it is, in a sentence. */
const aside: Readonly<Record<string, string>> = {
  servers: 'the addresses of the servers',
  // Swagger 2.0.
  host: 'the addresses of the servers',
  basePath: 'the addresses of the servers',
  schemes: 'the addresses of the servers',
  style: 'how the parameter is written',
  explode: 'how the parameter is written',
  allowReserved: 'how the parameter is written',
  allowEmptyValue: 'how the parameter is written',
  // Swagger 2.0.
  collectionFormat: 'how the parameter is written',
  content: 'how the parameter is written',
  links: 'where the response leads',
  xml: 'how the value is written as XML',
  encoding: 'how the parts of the form are written',
  // OpenAPI 3.2.
  prefixEncoding: 'how the parts of the form are written',
  itemEncoding: 'how the parts of the form are written',
  flows: 'how a token is obtained',
  openIdConnectUrl: 'how a token is obtained',
  oauth2MetadataUrl: 'how a token is obtained',
  // Swagger 2.0.
  flow: 'how a token is obtained',
  authorizationUrl: 'how a token is obtained',
  tokenUrl: 'how a token is obtained',
  scopes: 'how a token is obtained',
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
  const elsewhere = openElsewhere(document);
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
    const role = roleOf(label);
    if (role !== undefined) pending.push(...elsewhere({ value, place, label }, role));
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
      } else if (!data.has(key) && (!key.startsWith('x-') || key === 'x-files')) {
        pending.push(further);
      }
    }
  }
  const ofSchemas = hasXml ? schemas.flatMap((each) => xmlParts(each, elsewhere)) : [];
  // What is reached by two ways is told once.
  return [...new Map([...found, ...ofSchemas].map((each) => [each.place, each])).values()];
}

/** What a part is because of the place that refers to it; the others say themselves what they are. */
function roleOf(label: string): string | undefined {
  return / (?:headers|responses) (?=\S+$)|^ webhooks | callbacks /.exec(label)?.[0];
}

type Elsewhere = (part: Part, role: string) => readonly Part[];

/** What stands in another file, or is a path item of many uses; once for each role. */
function openElsewhere(document: Json): Elsewhere {
  const seen = new Set<string>();
  return ({ value, label }, role) => {
    const tokens = pointerTokens(textAt(value, '$ref') ?? '') ?? [];
    if (tokens[0] !== 'x-files' && tokens[1] !== 'pathItems') return [];
    const target = findByTokens(document, tokens);
    const key = JSON.stringify([role, ...tokens]);
    if (target === undefined || seen.has(key)) return [];
    seen.add(key);
    return [{ value: target, place: tokens.reduce(placeOf, '$'), label }];
  };
}

interface SchemaPart extends Part {
  /** Whether its members are schemas, by their names. */
  readonly isMap: boolean;
}

/** How the values of a schema are written as XML. */
function xmlParts(root: SchemaPart, elsewhere: Elsewhere): readonly ImportProblem[] {
  const found: ImportProblem[] = [];
  const pending = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, place, label, isMap } = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const part of elsewhere(next, 'schema')) pending.push({ ...part, isMap: false });
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
    case 'collectionFormat':
      return typeof holder.collectionFormat === 'string';
    case 'content':
      // Of other media types the contract holds the name.
      return (typeof holder.in === 'string' || isHeader(label)) && jsonContentOf(holder) !== null;
    case 'links':
      return isJsonObject(holder.links ?? null) && / responses \S+$/.test(label);
    case 'xml':
      return false;
    case 'encoding':
      return objectAt(holder, 'encoding') !== undefined && holder.schema !== undefined;
    case 'itemEncoding':
      return objectAt(holder, 'itemEncoding') !== undefined;
    case 'flows':
    case 'openIdConnectUrl':
    case 'oauth2MetadataUrl':
      return typeof holder.type === 'string';
    case 'flow':
    case 'authorizationUrl':
    case 'tokenUrl':
    case 'scopes':
      return holder.type === 'oauth2';
    case 'host':
    case 'basePath':
      return label === '';
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
    case 'collectionFormat':
      return value === 'csv';
    case 'basePath':
      return value === '/';
    case 'encoding':
      return isJsonObject(value) && Object.keys(value).length === 0;
    case 'servers':
      return isSameJson(value ?? [], []) || isSameJson(value ?? [], [{ url: '/' }]);
    default:
      return false;
  }
}
