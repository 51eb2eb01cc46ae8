// The responses of an operation: that of success, whose JSON consumers read, and every status with
// its headers and media types.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { memberOf, placeOf } from '../read-json.ts';
import {
  bothOf,
  type Described,
  objectOf,
  parameterSchema,
  readContents,
  schemaOfType,
} from './openapi-content.ts';
import { type Content, jsonContentOf } from './openapi-document.ts';
import { type Context, type Operation, resolvePart, shapeAt } from './openapi-reading.ts';

interface Responses {
  /** The JSON of the response of success; null if there is none. */
  readonly response: Json | null;
  /** Every status as a property. */
  readonly statuses: JsonObject;
  /** The media types of `response`. */
  readonly types: readonly (readonly [string, Json])[];
}

/** The statuses with a response body, in order of preference. */
const successStatuses: readonly string[] = ['200', '201', '2XX', '2xx'];

/**
 * The status whose JSON is the response, as far as its name says. A contract names the status if it is
 * another, because that of this name has no JSON.
 *
 * @example mainStatus(['404', '201']) // '201'
 */
export function mainStatus(statuses: readonly string[]): string | undefined {
  return [...successStatuses, 'default'].find((status) => statuses.includes(status));
}

/** The name of the member of `responses` that names the status of the response. */
export const mainMember = 'x-main';

/** A webhook is answered by consumers: none of its statuses is apart from the others. */
export function readResponses(
  { operation, place, isWebhook }: Operation,
  context: Context,
): Responses {
  const responses = shapeAt(operation, 'responses', 'an object', place, context) ?? {};
  if (!isJsonObject(responses)) return { response: null, statuses: objectOf([]), types: [] };
  const read = new Map<string, Stated>();
  for (const status of Object.keys(responses)) {
    if (status.startsWith('x-')) continue;
    const at = placeOf(`${place}.responses`, status);
    const response = resolvePart(responses[status] ?? null, at, context);
    if (response === null) continue;
    if ([...read.keys()].some((each) => nameOf(each) === nameOf(status))) {
      const message = `Two responses are of status ${nameOf(status)}. Remove one.`;
      context.problems.push({ code: 'UNREADABLE_ITEM', message, place: at });
      continue;
    }
    shapeAt(response, 'content', 'an object', at, context);
    read.set(status, { response, place: at });
  }
  const main = isWebhook ? null : findMain(read, context);
  const types: (readonly [string, Json])[] = [];
  const statuses = [...read].map(([status, { response, place }]) => {
    const isMain = main !== null && main.status === status;
    const described: Described = new Map(isMain ? [['response', main.content]] : []);
    const contents = readContents(response, place, context, described);
    types.push(...contents.types);
    const headers = readHeaders(response, place, context);
    const members = headers === null ? [] : [['headers', headers] as const];
    return [nameOf(status), objectOf([...members, ...contents.others])] as const;
  });
  return {
    response: main?.schema ?? null,
    statuses: {
      ...objectOf(statuses),
      ...(main !== null &&
        main.status !== mainStatus([...read.keys()]) && { [mainMember]: nameOf(main.status) }),
    },
    types,
  };
}

/** @example nameOf('2xx') // '2XX' */
function nameOf(status: string): string {
  return /^\dxx$/.test(status) ? status.toUpperCase() : status;
}

interface Stated {
  readonly response: JsonObject;
  readonly place: string;
}

interface MainResponse {
  readonly status: string;
  readonly content: Content;
  readonly schema: Json;
}

function findMain(read: ReadonlyMap<string, Stated>, context: Context): MainResponse | null {
  const stated = successStatuses.filter((status) => read.has(status));
  for (const status of stated.length > 0 ? stated : ['default']) {
    const found = read.get(status);
    const content = found === undefined ? null : jsonContentOf(found.response);
    if (found === undefined || content === null) continue;
    const schema = schemaOfType(found.response, content.type, found.place, context);
    if (schema !== null) return { status, content, schema };
  }
  return null;
}

/** Header names are case-insensitive. */
function readHeaders(response: JsonObject, place: string, context: Context): JsonObject | null {
  const headers = shapeAt(response, 'headers', 'an object', place, context);
  if (headers === undefined || !isJsonObject(headers)) return null;
  const members = new Map<string, Json>();
  const required = new Set<string>();
  for (const [stated, raw] of Object.entries(headers)) {
    const name = stated.toLowerCase();
    // OpenAPI ignores it, because media types cover it.
    if (name === 'content-type') continue;
    const at = placeOf(`${place}.headers`, stated);
    const header = resolvePart(raw, at, context);
    if (header === null) continue;
    members.set(name, bothOf(members.get(name), parameterSchema(header, at, context)));
    if (memberOf(header, 'required') === true) required.add(name);
  }
  return members.size === 0 ? null : objectOf([...members], [...required]);
}
