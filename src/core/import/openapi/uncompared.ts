// What an OpenAPI document says about a call and no contract holds. It is not compared, so a change of
// it leaves the verdict open.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { objectAt, placeOf, textAt } from '../read-json.ts';

/** By the keyword: what it is, in a sentence. */
const aside: Readonly<Record<string, string>> = {
  servers: 'the addresses of the servers',
  style: 'how the parameter is written',
  explode: 'how the parameter is written',
  allowReserved: 'how the parameter is written',
  encoding: 'how the parts of the form are written',
  flows: 'how a token is obtained',
  openIdConnectUrl: 'how a token is obtained',
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
        const name = isJsonObject(item) ? textAt(item, 'name') : undefined;
        const at = placeOf(place, index);
        pending.push({ value: item, place: at, label: `${label} ${name ?? index}` });
      });
    }
    if (!isJsonObject(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      const at = placeOf(place, key);
      const what = Object.hasOwn(aside, key) && mayBe(key, value) ? aside[key] : undefined;
      if (what !== undefined) {
        const message = `${`${label} ${key}`.trim()}: ${what} changed, which is not compared.`;
        found.push({ ...itemProblem('UNCOMPARED_PART', message, at), unread: member });
      } else if (!data.has(key) && !key.startsWith('x-')) {
        pending.push({ value: member, place: at, label: `${label} ${key}` });
      }
    }
  }
  return found;
}

/** Maps of the document, such as callbacks, may have keys of these names. */
function mayBe(key: string, holder: JsonObject): boolean {
  switch (key) {
    case 'style':
    case 'explode':
    case 'allowReserved':
      return typeof holder.in === 'string';
    case 'encoding':
      return objectAt(holder, 'encoding') !== undefined && holder.schema !== undefined;
    case 'flows':
    case 'openIdConnectUrl':
      return typeof holder.type === 'string';
    default:
      return Array.isArray(holder[key]);
  }
}
