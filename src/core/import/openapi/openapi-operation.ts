// Converts one operation to a schema: {type: object, properties: {request, response, ...}}, where
// each member has its own direction. `request` and `response` are those of service.md; the others
// hold the rest of the operation (docs/decisions/openapi.md).

import type { Json, JsonObject } from '../../value/json.ts';
import { memberOf, objectAt } from '../read-json.ts';
import type { Bundler } from './openapi-bundle.ts';
import { readCallbacks } from './openapi-callbacks.ts';
import { objectOf } from './openapi-content.ts';
import type { Context, Operation, PlacedProblem } from './openapi-reading.ts';
import { readRequest, readSent } from './openapi-request.ts';
import { readResponses } from './openapi-responses.ts';
import { readSecurity } from './openapi-security.ts';

interface OperationSchema {
  readonly schema: JsonObject;
  /** Whether it says more than which statuses there are. Otherwise it is no contract. */
  readonly describes: boolean;
  readonly problems: readonly PlacedProblem[];
}

/** @example toOperationSchema(document, operation, bundler).schema */
export function toOperationSchema(
  document: JsonObject,
  operation: Operation,
  bundler: Bundler,
): OperationSchema {
  const context: Context = { document, bundler, problems: [], parts: [] };
  const { request, types } = readRequest(operation, context);
  const { response, statuses, types: responseTypes } = readResponses(operation, context);
  const mediaTypes = [...types, ...responseTypes];
  return bundleOf(operation, context, {
    request,
    response,
    responses: statuses,
    media_types: mediaTypes.length === 0 ? null : objectOf(mediaTypes),
    security: readSecurity(operation, context),
    ...readCallbacks(operation, context),
  });
}

/** A webhook: what the API sends is its response, and what it is answered is its request. */
export function toWebhookSchema(
  document: JsonObject,
  operation: Operation,
  bundler: Bundler,
): OperationSchema {
  const context: Context = { document, bundler, problems: [], parts: [] };
  const { statuses } = readResponses(operation, context);
  const isAnswered = Object.keys(objectAt(statuses, 'properties') ?? {}).length > 0;
  return bundleOf(operation, context, {
    request: isAnswered ? statuses : null,
    response: readSent(operation, context),
    ...readCallbacks(operation, context),
  });
}

function bundleOf(
  { operation, place }: Operation,
  context: Context,
  members: Readonly<Record<string, Json | null>>,
): OperationSchema {
  const { defs, problems } = context.bundler.collect(context.parts);
  for (const problem of problems) context.problems.push({ ...problem, place });
  const stated = Object.entries(members).filter(
    (member): member is [string, Json] => member[1] !== null,
  );
  const schema = {
    type: 'object',
    ...(memberOf(operation, 'deprecated') === true ? { deprecated: true } : {}),
    properties: Object.fromEntries(stated),
    ...(Object.keys(defs).length === 0 ? {} : { $defs: defs }),
  };
  const describes = stated.some(([name, member]) => name !== 'responses' || saysMore(member));
  return { schema, describes, problems: withoutRepeats(context.problems) };
}

/** Whether some status has a body or a header. */
function saysMore(statuses: Json): boolean {
  const all = Object.values(objectAt(statuses, 'properties') ?? {});
  return all.some((status) => Object.keys(objectAt(status, 'properties') ?? {}).length > 0);
}

/** Some parts are read twice: as the main content, and as one of several. */
function withoutRepeats(problems: readonly PlacedProblem[]): readonly PlacedProblem[] {
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
}
