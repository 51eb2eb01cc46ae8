// Requests that the API sends: callbacks of an operation, and webhooks. Their directions are turned
// around: the owner writes the request, and consumers write the response.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { memberOf, objectAt, placeOf } from '../read-json.ts';
import { objectOf } from './openapi-content.ts';
import { methods } from './openapi-document.ts';
import { type Context, type Operation, resolvePart } from './openapi-reading.ts';
import { readSent } from './openapi-request.ts';
import { readResponses } from './openapi-responses.ts';

interface Sent {
  readonly requests: JsonObject | null;
  readonly answers: JsonObject | null;
}

/** A property for each callback, address and method. */
export function readCallbacks({ operation, place }: Operation, context: Context): Sent {
  const requests: (readonly [string, Json])[] = [];
  const answers: (readonly [string, Json])[] = [];
  for (const [name, raw] of Object.entries(objectAt(operation, 'callbacks') ?? {})) {
    const at = placeOf(`${place}.callbacks`, name);
    const callback = resolvePart(raw, at, context) ?? {};
    for (const [address, stated] of Object.entries(callback)) {
      if (address.startsWith('x-')) continue;
      const itemPlace = placeOf(at, address);
      const item = resolvePart(stated, itemPlace, context) ?? {};
      for (const method of methods) {
        const sent = memberOf(item, method);
        if (!isJsonObject(sent)) continue;
        const key = `${name} ${method} ${address}`;
        const each = {
          path: address,
          method,
          place: `${itemPlace}.${method}`,
          item,
          operation: sent,
          isWebhook: true,
        };
        requests.push([key, readSent(each, context) ?? objectOf([])]);
        answers.push([key, readResponses(each, context).statuses]);
      }
    }
  }
  return {
    requests: requests.length === 0 ? null : objectOf(requests),
    answers: answers.length === 0 ? null : objectOf(answers),
  };
}
