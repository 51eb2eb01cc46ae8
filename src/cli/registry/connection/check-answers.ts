// Checks whether a response comes from a registry. Other programs also respond in JSON, and their
// responses must not be taken for statements about contracts.

import type { Client, Refusal } from '../../../wire/client.ts';
import type { Route } from '../../../wire/route.ts';
import { type RouteName, routes } from '../../../wire/routes.ts';

type Answered =
  | { readonly ok: true; readonly status: number; readonly body: unknown }
  | { readonly ok: false; readonly status: number; readonly refusal: Refusal };

type Ask = (call: unknown) => Promise<Answered>;

/** The same client, but a response without the required members of its route is a refusal. */
export function checkAnswers(client: Client): Client {
  const methods = Object.keys(client).map((name) => {
    // The cast is safe: each method is made from the row of its name.
    const ask = client[name as RouteName] as Ask;
    return [name, async (call: unknown) => checked(routes[name as RouteName], await ask(call))];
  });
  return Object.fromEntries(methods) as Client;
}

function checked(row: Route, result: Answered): Answered {
  if (!result.ok || isOfRoute(row, result)) return result;
  const { status } = result;
  const message = `The answer (status ${status}) is JSON, but not from a registry. Check the address.`;
  return { ...result, ok: false, refusal: { code: 'NOT_A_REGISTRY', message } };
}

/** A newer registry may add members and unknown values, but it never omits required members. */
function isOfRoute(row: Route, { status, body }: { status: number; body: unknown }): boolean {
  const parsed = row.answers[status]?.body?.safeParse(body);
  if (parsed === undefined || parsed.success) return true;
  return parsed.error.issues.every(({ code }) => code !== 'invalid_type');
}
