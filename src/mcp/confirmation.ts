// A write is done when it is asked for twice: the first answer says what it would do, with a code
// that stands for exactly these arguments. An answer to a proposal, or its force, names the round that was shown.

import { createHmac } from 'node:crypto';
import { canonicalJson } from '../core/value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/value/json.ts';
import type { Tool } from '../wire/tools.ts';
import type { CallRoute, RouteAnswer } from './call-route.ts';

/** Only the arguments count, not their order. */
export function confirmation(
  secret: string,
  tool: string,
  given: Readonly<Record<string, unknown>>,
): string {
  const text = canonicalJson([tool, given as JsonObject]);
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, 12);
}

/**
 * What a call has to say. An answer and a force name their round: between the two calls, the proposal may be compared again and
 * ask something else.
 */
export function inputOf({ route, inputSchema }: Tool): Tool['inputSchema'] {
  const { properties, required } = inputSchema;
  if (route === 'acknowledgeProposal' || route === 'forceProposal') {
    return { ...inputSchema, required: [...required, 'round'] };
  }
  if (route !== 'bulkAcknowledgments') return inputSchema;
  const { items, ...others } = properties;
  const each = { ...(items as { items: object }).items, required: ['proposal_id', 'round'] };
  return { ...inputSchema, properties: { ...others, items: { ...items, items: each } } };
}

/**
 * The round that is missing.
 *
 * @example roundNotSaid(acknowledgeProposal, { proposal_id }) // 'round'
 */
export function roundNotSaid(
  { route }: Pick<Tool, 'route'>,
  { round, items }: Readonly<Record<string, unknown>>,
): string | null {
  if (route === 'acknowledgeProposal' || route === 'forceProposal') {
    return round === undefined ? 'round' : null;
  }
  if (route !== 'bulkAcknowledgments' || !Array.isArray(items)) return null;
  const at = items.findIndex((each: Json) => isJsonObject(each) && each.round === undefined);
  return at === -1 ? null : `items.${at}.round`;
}

interface Noted {
  readonly code: string;
  /** Whether another code was sent. */
  readonly isOther: boolean;
  readonly tried: RouteAnswer | null;
}

/** What the first answer says. */
export function noted(
  { name, title, row }: Tool,
  { params, query, body }: Parameters<CallRoute>[1],
  { code, isOther, tried }: Noted,
): string {
  const parts = { ...params, ...query, ...body };
  return [
    isOther
      ? 'Nothing was done: the code is not that of these arguments, which may have changed.'
      : 'Nothing was done yet.',
    `"${title}" (${row.method} ${row.path}) would be sent with ${JSON.stringify(parts)}.`,
    tried?.ok ? `The registry says what would happen: ${JSON.stringify(tried.body)}` : '',
    `Show this to a person. If they agree, call ${name} again with the same arguments and "confirm": "${code}".`,
  ]
    .filter((line) => line !== '')
    .join('\n');
}
