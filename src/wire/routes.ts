// The route table: every route, by the name of its operation.

import type { z } from 'zod';
import type { Answer, Route } from './route.ts';
import { assetRoutes } from './routes/assets.ts';
import { auditRoutes } from './routes/audit.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { contractRoutes } from './routes/contracts.ts';
import { eventStreamRoutes } from './routes/event-stream.ts';
import { importRoutes } from './routes/imports.ts';
import { lineageRoutes } from './routes/lineage.ts';
import { operationRoutes } from './routes/operations.ts';
import { proposalRoutes } from './routes/proposals.ts';
import { qualityRunRoutes } from './routes/quality-runs.ts';
import { registrationRoutes } from './routes/registrations.ts';
import { scimRoutes } from './routes/scim.ts';
import { searchRoutes } from './routes/search.ts';
import { serviceRoutes } from './routes/services.ts';
import { sourceRoutes } from './routes/sources.ts';
import { teamGraphRoutes } from './routes/team-graph.ts';
import { teamRoutes } from './routes/teams.ts';
import { toolRoutes } from './routes/tools.ts';
import { trustRoutes } from './routes/trusts.ts';
import { userRoutes } from './routes/users.ts';
import { webhookRoutes } from './routes/webhooks.ts';

export const routes = {
  ...teamRoutes,
  ...trustRoutes,
  ...userRoutes,
  ...scimRoutes,
  ...assetRoutes,
  ...serviceRoutes,
  ...searchRoutes,
  ...contractRoutes,
  ...lineageRoutes,
  ...teamGraphRoutes,
  ...qualityRunRoutes,
  ...registrationRoutes,
  ...proposalRoutes,
  ...bulkRoutes,
  ...importRoutes,
  ...sourceRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...eventStreamRoutes,
  ...toolRoutes,
  ...operationRoutes,
} satisfies Readonly<Record<string, Route>>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Parsed<R, Part extends string> = R extends { readonly [P in Part]: infer Z extends z.ZodType }
  ? z.output<Z>
  : undefined;

/** The input of a handler: parsed, with defaults. */
export interface RequestOf<R> {
  readonly params: Parsed<R, 'params'>;
  readonly query: Parsed<R, 'query'>;
  readonly body: Parsed<R, 'body'>;
}

type AnswersOf<R> = R extends { readonly answers: infer A } ? A : never;

type BodyOf<A> =
  A extends Answer<infer B> ? (B extends z.ZodType ? z.output<B> : undefined) : never;

/** The reply of a handler: a status of the route table with its body. */
export type ReplyOf<R> = {
  [S in keyof AnswersOf<R>]: { readonly status: S; readonly body: BodyOf<AnswersOf<R>[S]> };
}[keyof AnswersOf<R>];
