// Every route of the table with what answers it: a route without a handler does not compile.

import type { RouteName } from '../wire/routes.ts';
import type { Handler } from './handler.ts';
import * as assets from './routes/assets.ts';
import * as audit from './routes/audit.ts';
import * as contracts from './routes/contracts.ts';
import * as proposals from './routes/proposals.ts';
import * as registrations from './routes/registrations.ts';
import * as teams from './routes/teams.ts';

/** These are about the process, not the registry: server.ts answers them. */
export type OperationName =
  | 'getHealth'
  | 'getLiveness'
  | 'getReadiness'
  | 'getOpenApi'
  | 'getDocs'
  | 'getRedoc';

export type ApiRouteName = Exclude<RouteName, OperationName>;

export const handlers: { readonly [Name in ApiRouteName]: Handler<Name> } = {
  ...teams,
  ...assets,
  ...contracts,
  ...registrations,
  ...proposals,
  ...audit,
};

export function isApiRoute(name: RouteName): name is ApiRouteName {
  return name in handlers;
}
