// The handler of every route in the table: a route without a handler does not compile.

import type { RouteName } from '../wire/routes.ts';
import type { Handler } from './handler.ts';
import type { ImportRouteName } from './request/import-call.ts';
import * as assets from './routes/assets.ts';
import * as audit from './routes/audit.ts';
import * as bulk from './routes/bulk.ts';
import * as contracts from './routes/contracts.ts';
import * as eventStream from './routes/event-stream.ts';
import * as lineage from './routes/lineage.ts';
import * as proposals from './routes/proposals.ts';
import * as qualityRuns from './routes/quality-runs.ts';
import * as registrations from './routes/registrations.ts';
import * as search from './routes/search.ts';
import * as services from './routes/services.ts';
import * as sessions from './routes/sessions.ts';
import * as signIn from './routes/sign-in.ts';
import * as sources from './routes/sources.ts';
import * as teamGraph from './routes/team-graph.ts';
import * as teams from './routes/teams.ts';
import * as trusts from './routes/trusts.ts';
import * as users from './routes/users.ts';
import * as webhooks from './routes/webhooks.ts';
import * as scim from './scim/routes.ts';

/** These are about the process, not the registry, so server.ts handles them. */
export type OperationName =
  | 'getHealth'
  | 'getLiveness'
  | 'getReadiness'
  | 'getMetrics'
  | 'getOpenApi'
  | 'getDocs'
  | 'getRedoc';

/** Imports run in a thread, so their handlers are in import-call.ts. */
export type ApiRouteName = Exclude<RouteName, OperationName | ImportRouteName | 'callTools'>;

export const handlers: { readonly [Name in ApiRouteName]: Handler<Name> } = {
  ...teams,
  ...trusts,
  ...users,
  ...scim,
  ...sessions,
  ...signIn,
  ...assets,
  ...services,
  ...search,
  ...contracts,
  ...lineage,
  ...teamGraph,
  ...qualityRuns,
  ...registrations,
  ...proposals,
  ...bulk,
  ...audit,
  ...eventStream,
  ...sources,
  ...webhooks,
};

export function isApiRoute(name: RouteName): name is ApiRouteName {
  return name in handlers;
}
