// What a caller must present: each alternative demands its schemes, and each scheme its scopes. A
// scheme is called by what it is, because its name in the document means nothing to a caller.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { arrayAt, memberOf, objectAt, textAt, textsAt } from '../read-json.ts';
import { resolveObject } from './openapi-document.ts';
import { type Context, type Operation, shapeAt } from './openapi-reading.ts';

/**
 * Null if nothing needs to be presented.
 *
 * @example readSecurity(operation, context)
 * // { type: 'object', properties: { 'http bearer': ... }, required: ['http bearer'] }
 */
export function readSecurity({ operation, place }: Operation, context: Context): JsonObject | null {
  const own = shapeAt(operation, 'security', 'an array', place, context);
  const stated = own === undefined ? arrayAt(context.document, 'security') : own;
  const alternatives = (Array.isArray(stated) ? stated : []).filter(isJsonObject);
  const isOptional = alternatives.some((each) => Object.keys(each).length === 0);
  if (alternatives.length === 0 || isOptional) return null;
  const byText = new Map(
    alternatives.map((each) => {
      const demanded = alternativeOf(each, context);
      return [JSON.stringify(demanded), demanded] as const;
    }),
  );
  const demanded = [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  const [only, ...others] = demanded;
  return others.length === 0 && only !== undefined ? only : { type: 'object', anyOf: demanded };
}

function alternativeOf(alternative: JsonObject, context: Context): JsonObject {
  const schemes = Object.keys(alternative).map((name) => {
    const scopes = [...textsAt(alternative, name)].sort();
    return { text: schemeText(name, context), scopes };
  });
  const order = schemes.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  const counts = new Map<string, number>();
  return demandOf(
    order.map(({ text, scopes }) => {
      // Two schemes of one kind are two things to present.
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      const name = count === 1 ? text : `${text} (${count})`;
      return [name, demandOf(scopes.map((scope) => [scope, granted]))] as const;
    }),
  );
}

function textOf({ text, scopes }: { readonly text: string; readonly scopes: readonly string[] }) {
  return JSON.stringify([text, ...scopes]);
}

// OpenAPI 3.0 has no `const`.
const granted: Json = { enum: [true] };

function demandOf(members: readonly (readonly [string, Json])[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(members.length === 0 ? {} : { required: members.map(([name]) => name) }),
  };
}

/** @example schemeText('ApiKeyAuth', context) // 'apiKey in header x-api-key' */
function schemeText(name: string, { document }: Context): string {
  const stated = memberOf(objectAt(objectAt(document, 'components'), 'securitySchemes'), name);
  const legacy = memberOf(objectAt(document, 'securityDefinitions'), name);
  const found = stated ?? legacy;
  const resolved = found === undefined ? null : resolveObject(document, found, name);
  if (resolved === null || !resolved.ok) return name;
  const type = textAt(resolved.value, 'type');
  switch (type) {
    case 'apiKey': {
      const where = textAt(resolved.value, 'in') ?? '';
      const key = textAt(resolved.value, 'name') ?? '';
      return `apiKey in ${where} ${where === 'header' ? key.toLowerCase() : key}`;
    }
    case 'http':
      return `http ${(textAt(resolved.value, 'scheme') ?? '').toLowerCase()}`;
    case 'basic':
      return 'http basic';
    case 'oauth2':
    case 'openIdConnect':
    case 'mutualTLS':
      return type;
    default:
      return name;
  }
}
