import type { Client } from '../wire/client.ts';
import type { RouteName } from '../wire/routes.ts';

export type RouteAnswer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly refusal: Refused };

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly [more: string]: unknown;
}

interface RouteCall {
  readonly params: object;
  readonly query: object;
  readonly body?: object;
}

/** Sends one request to the registry. A refusal is an answer. */
export type CallRoute = (route: RouteName, call: RouteCall) => Promise<RouteAnswer>;

/** Calls by a client, with its key. */
export function callBy(client: Client): CallRoute {
  // What a program gives is checked by the registry, as every request is.
  const methods = client as unknown as Readonly<
    Record<RouteName, (call: RouteCall) => Promise<RouteAnswer>>
  >;
  return (route, call) => methods[route](call);
}
