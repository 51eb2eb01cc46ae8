// Requests that the answering side sends: callbacks of an operation and of a webhook, and those of
// callbacks.

import type { Json, JsonObject } from '../../value/json.ts';
import { objectAt, placeOf } from '../read-json.ts';
import { objectOf } from './openapi-content.ts';
import { readItem } from './openapi-paths.ts';
import { type Context, type Operation, resolvePart } from './openapi-reading.ts';
import { readSent } from './openapi-request.ts';
import { readResponses } from './openapi-responses.ts';

type Members = readonly (readonly [string, Json])[];

interface Sent {
  readonly requests: Members;
  readonly answers: Members;
}

/** Callbacks of callbacks. Documents have hardly any, but with references a small one could have very many. */
const nestedLimit = 1_000;

/**
 * The members of a contract that say what is sent after an operation. The owner of an API sends its
 * callbacks; those of a webhook are sent by who receives it.
 */
export function readCallbacks(
  operation: Operation,
  context: Context,
): Readonly<Record<'callbacks' | 'callback_responses', JsonObject | null>> {
  const { requests, answers } = readSentAfter(operation, context, {
    within: [],
    budget: { left: nestedLimit },
  });
  const named = new Set(requests.map(([name]) => name));
  if (named.size < requests.length) {
    // One of them would hide the other.
    const message = 'Two callbacks are called alike by name, method and address. Rename one.';
    context.problems.push({
      code: 'UNREADABLE_ITEM',
      message,
      place: `${operation.place}.callbacks`,
    });
  }
  const [byOwner, byCallers] = operation.isWebhook ? [answers, requests] : [requests, answers];
  return {
    callbacks: byOwner.length === 0 ? null : objectOf(byOwner),
    callback_responses: byCallers.length === 0 ? null : objectOf(byCallers),
  };
}

interface Nesting {
  /** The operations that contain the callback. They are kept because a callback may refer to itself. */
  readonly within: readonly JsonObject[];
  readonly budget: { left: number };
}

/**
 * What the answering side sends, and how it is answered: a property for each callback, address and method. Callbacks of a
 * callback are sent by the other side again, so their requests stand with the answers.
 */
function readSentAfter({ operation, place }: Operation, context: Context, nesting: Nesting): Sent {
  const requests: (readonly [string, Json])[] = [];
  const answers: (readonly [string, Json])[] = [];
  const within = [...nesting.within, operation];
  for (const [name, each] of callbacksOf(operation, place, context)) {
    if (nesting.within.length > 0 && --nesting.budget.left < 0) {
      if (nesting.budget.left < -1) break;
      const message = `Callbacks of the callbacks of one operation are more than ${nestedLimit}.`;
      context.problems.push({ code: 'TOO_LARGE', message, place: each.place });
      break;
    }
    const key = `${name} ${each.method} ${each.path}`;
    requests.push([key, readSent(each, context) ?? objectOf([])]);
    answers.push([key, readResponses(each, context).statuses]);
    if (within.includes(each.operation)) continue;
    const inner = readSentAfter(each, context, { ...nesting, within });
    const called = ([innerKey, schema]: readonly [string, Json]) =>
      [`${key} > ${innerKey}`, schema] as const;
    requests.push(...inner.answers.map(called));
    answers.push(...inner.requests.map(called));
  }
  return { requests, answers };
}

function* callbacksOf(
  operation: JsonObject,
  place: string,
  context: Context,
): Generator<readonly [name: string, Operation]> {
  for (const [name, raw] of Object.entries(objectAt(operation, 'callbacks') ?? {})) {
    const at = placeOf(`${place}.callbacks`, name);
    const callback = resolvePart(raw, at, context) ?? {};
    for (const [address, stated] of Object.entries(callback)) {
      if (address.startsWith('x-')) continue;
      const home = { path: address, place: placeOf(at, address), isWebhook: true };
      const { document, problems } = context;
      for (const each of readItem(document, stated, home, problems)) yield [name, each];
    }
  }
}
