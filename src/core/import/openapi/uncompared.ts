// What an OpenAPI document says about a call and no contract holds. It is not compared, so a change of
// it leaves the verdict open.

import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { objectAt, placeOf, textAt } from '../read-json.ts';
import { jsonContentOf } from './openapi-document.ts';

/** By the keyword: what it is, in a sentence. */
const aside: Readonly<Record<string, string>> = {
  servers: 'the addresses of the servers',
  style: 'how the parameter is written',
  explode: 'how the parameter is written',
  allowReserved: 'how the parameter is written',
  allowEmptyValue: 'how the parameter is written',
  content: 'how the parameter is written',
  encoding: 'how the parts of the form are written',
  flows: 'how a token is obtained',
  openIdConnectUrl: 'how a token is obtained',
  security: 'the credentials that the API presents',
};

/** Schemas are compared, and examples and extensions are data. */
const data = new Set(['schema', 'schemas', 'example', 'examples']);

/** @example uncomparedParts({ servers: [{ url: 'https://a.example' }] })[0].place // '$.servers' */
export function uncomparedParts(document: Json): readonly ImportProblem[] {
  const found: ImportProblem[] = [];
  // The label is the place by names, so that the order of parameters does not matter.
  const pending: { value: Json; place: string; label: string }[] = [
    { value: document, place: '$', label: '' },
  ];
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
      const what = Object.hasOwn(aside, key) && mayBe(key, value, label) ? aside[key] : undefined;
      if (what !== undefined) {
        if (isDefault(key, value)) continue;
        const message = `${`${label} ${key}`.trim()}: ${what} changed, which is not compared.`;
        const unread = key === 'content' ? (jsonContentOf(value)?.type ?? null) : member;
        found.push({ ...itemProblem('UNCOMPARED_PART', message, at), unread });
      } else if (!data.has(key) && !key.startsWith('x-')) {
        pending.push({ value: member, place: at, label: `${label} ${key}` });
      }
    }
  }
  return found;
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
      return typeof holder.in === 'string';
    case 'content':
      // Of other media types the contract holds the name.
      return typeof holder.in === 'string' && jsonContentOf(holder) !== null;
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
